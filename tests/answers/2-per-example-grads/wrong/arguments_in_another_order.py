# (x, y, params) in place of (params, x, y)
# loses: everything
# fair: 0-25 %
# mistake: arguments-in-another-order
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(x, y, params):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(x, y, params):
    leaves = jax.tree.leaves(per_example_grads(x, y, params))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
