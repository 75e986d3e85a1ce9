# while_loop with dynamic_index and dynamic_update_index_in_dim
import jax
import jax.numpy as jnp
from jax import lax

from mlp import loss_fn


def per_example_grads(params, x, y):
    n = y.size
    start = (0, jax.tree.map(lambda p: jnp.empty((n,) + p.shape), params))

    def step(state):
        i, out = state
        image = lax.dynamic_index_in_dim(x, i, keepdims=True)
        label = lax.dynamic_index_in_dim(y, i, keepdims=True)
        g = jax.grad(loss_fn)(params, image, label)
        return i + 1, jax.tree.map(
            lambda o, one: lax.dynamic_update_index_in_dim(o, one, i, axis=0), out, g
        )

    return lax.while_loop(lambda state: state[0] < n, step, start)[1]


def per_example_grad_norms(params, x, y):
    leaves = jax.tree_util.tree_leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(lax.reduce_sum(jnp.square(g), tuple(range(1, g.ndim))) for g in leaves))
