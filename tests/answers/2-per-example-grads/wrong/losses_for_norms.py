# the loss of each example in place of its norm
# loses: norms-are-global-l2-norms, norms-count-every-leaf, norms-where-the-network-is-surely-right
# fair: 60-80 %
# mistake: losses-instead-of-norms
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    return jax.vmap(loss_fn, in_axes=(None, 0, 0))(params, x, y)
