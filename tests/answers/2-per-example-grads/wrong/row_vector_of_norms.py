# norms in a row of shape (1, batch)
# loses: norms-are-one-number-an-example
# fair: 85-100 %
# mistake: norms-in-a-column-or-row
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    squares = sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves)
    return jnp.sqrt(squares)[None, :]
