# the gradient of the batch, norms never answered
# loses: gradients-have-the-structure-of-params, each-row-is-the-gradient-of-its-own-loss, row-i-belongs-to-example-i-alone, gradients-use-the-labels-given, gradients-of-other-batch-sizes, norms-are-one-number-an-example, norms-are-global-l2-norms, norms-count-every-leaf, norm-i-belongs-to-example-i-alone, norms-where-the-network-is-surely-right, norms-where-the-network-is-surely-wrong, norms-of-other-batch-sizes
# fair: 10-30 %
# mistake: gradient-of-the-whole-batch, not-answered
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.grad(loss_fn)(params, x, y)


def per_example_grad_norms(params, x, y):
    raise NotImplementedError
