# the ReLU stands before each layer but the first
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    depth = len(jax.tree.leaves(params)) // 2
    for i in range(depth):
        if i > 0:
            x = jax.nn.relu(x)
        x = x @ params[f"layer{i+1}"]["w"] + params[f"layer{i+1}"]["b"]
    return x
