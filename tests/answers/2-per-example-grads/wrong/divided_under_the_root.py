# norms divided by the square root of the batch, as for a mean
# loses: norms-are-global-l2-norms, norms-count-every-leaf
# fair: 60-85 %
# mistake: divided-by-the-batch-size
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    squares = sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves)
    return jnp.sqrt(squares / len(x))
