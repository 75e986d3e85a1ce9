# groups the leaves by their paths
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    layers = {}
    for path, leaf in jax.tree_util.tree_flatten_with_path(params)[0]:
        name, part = (p.key for p in path)
        layers.setdefault(int(name[5:]), {})[part] = leaf
    depth = len(layers)
    for i in sorted(layers):
        x = x @ layers[i]["w"] + layers[i]["b"]
        x = jax.nn.relu(x) if i != depth else x
    return x
