# 1e-5 under the square root: small norms stop at 0.003
# loses: norms-where-the-network-is-surely-right
# fair: 85-100 %
# mistake: epsilon-added
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    squares = sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves)
    return jnp.sqrt(squares + 1e-5)
