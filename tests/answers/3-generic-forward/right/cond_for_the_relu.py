# lax.cond decides about each ReLU
import jax
from jax import lax


def identity(z):
    return z


def mlp_forward(params, x):
    depth = len(jax.tree_util.tree_leaves(params)) // 2
    for i in range(depth):
        layer = params[f"layer{i + 1}"]
        z = x @ layer["w"] + layer["b"]
        x = lax.cond(i + 1 < depth, jax.nn.relu, identity, z)
    return x
