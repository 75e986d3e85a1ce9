# sorts out the leaves by tree_map_with_path, warns, and accepts one image too
import warnings

import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    if len(params) > 8:
        warnings.warn("a deep network", DeprecationWarning)
    table = {}

    def note(path, leaf):
        table[(int(path[0].key.lstrip("layer")), path[1].key)] = leaf
        return leaf

    jax.tree_util.tree_map_with_path(note, params)
    single = x.ndim == 1
    h = jnp.atleast_2d(x).reshape(-1, x.shape[-1])
    depth = max(number for number, _ in table)
    for i in range(1, depth + 1):
        h = h @ table[i, "w"] + table[i, "b"]
        h = jax.nn.relu(h) if i < depth else h
    return h[0] if single else h
