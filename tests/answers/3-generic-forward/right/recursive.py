# recursion, with an optional third parameter
import jax
import jax.numpy as jnp


def mlp_forward(params, x, i=1):
    z = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
    if f"layer{i + 1}" not in params:
        return z
    return mlp_forward(params, jax.nn.relu(z), i + 1)
