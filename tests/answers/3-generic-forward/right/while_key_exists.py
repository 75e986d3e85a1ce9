# goes on while the next name exists
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    i = 1
    while f"layer{i + 1}" in params:
        p = params[f"layer{i}"]
        x = jax.nn.relu(jnp.dot(x, p["w"]) + p["b"])
        i += 1
    p = params[f"layer{i}"]
    return jnp.dot(x, p["w"]) + p["b"]
