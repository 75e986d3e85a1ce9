# tree_map_with_path and tree_flatten_with_path; the squares collected by name
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    grads = jax.vmap(jax.grad(loss_fn), (None, 0, 0))(params, x, y)

    def checked(path, g, p):
        assert g.shape == (x.shape[0],) + p.shape, jax.tree_util.keystr(path)
        return g

    return jax.tree_util.tree_map_with_path(checked, grads, params)


def per_example_grad_norms(params, x, y):
    squares = {}
    for path, g in jax.tree_util.tree_flatten_with_path(per_example_grads(params, x, y))[0]:
        squares[jax.tree_util.keystr(path)] = jnp.einsum("bi,bi->b", *[g.reshape(len(g), -1)] * 2)
    return jnp.sqrt(sum(squares.values()))
