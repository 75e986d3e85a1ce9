# norms rounded to two decimals
# loses: norms-count-every-leaf, norms-where-the-network-is-surely-right
# fair: 75-95 %
# mistake: norms-are-rounded
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    norms = jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
    return jnp.round(norms, 2)
