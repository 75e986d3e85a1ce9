# batch mean undone by a fixed factor of 32: other batch sizes are wrong
# loses: gradients-of-other-batch-sizes, norms-of-other-batch-sizes
# fair: 75-95 %
# mistake: one-batch-size-only
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    share = lambda p, xi, yi: loss_fn(p, xi, yi) / len(x)  # noqa: E731
    grads = jax.vmap(jax.grad(share), in_axes=(None, 0, 0))(params, x, y)
    return jax.tree.map(lambda g: 32 * g, grads)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
