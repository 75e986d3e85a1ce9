# pulled back along the identity of 32 rows: no other batch size works
# loses: gradients-of-other-batch-sizes, norms-of-other-batch-sizes
# fair: 75-90 %
# mistake: one-batch-size-only
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    losses = lambda p: jax.vmap(loss_fn, in_axes=(None, 0, 0))(p, x, y)  # noqa: E731
    _, pull_back = jax.vjp(losses, params)
    return jax.vmap(pull_back)(jnp.eye(32))[0]


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
