# grad of the sum of the losses: one gradient for the batch
# loses: gradients-have-the-structure-of-params, each-row-is-the-gradient-of-its-own-loss, row-i-belongs-to-example-i-alone, gradients-use-the-labels-given, gradients-of-other-batch-sizes, norms-are-one-number-an-example, norms-are-global-l2-norms, norms-count-every-leaf, norm-i-belongs-to-example-i-alone, norms-where-the-network-is-surely-right, norms-where-the-network-is-surely-wrong, norms-of-other-batch-sizes
# fair: 10-30 %
# mistake: gradient-of-the-whole-batch
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    each = jax.vmap(loss_fn, in_axes=(None, 0, 0))
    return jax.grad(lambda p: each(p, x, y).sum())(params)


def per_example_grad_norms(params, x, y):
    return jnp.array([jnp.linalg.norm(g) for g in jax.tree.leaves(per_example_grads(params, x, y))])
