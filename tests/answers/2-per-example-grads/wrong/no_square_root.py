# sums of squares: the square root is missing
# loses: norms-are-global-l2-norms, norms-count-every-leaf, norms-where-the-network-is-surely-right, norms-where-the-network-is-surely-wrong
# fair: 65-85 %
# mistake: norms-are-squared
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return (sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
