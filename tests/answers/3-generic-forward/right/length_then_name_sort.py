# sorts names by length, then by letters
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    order = sorted(params.keys(), key=lambda k: (len(k), k))
    for idx, k in enumerate(order):
        z = jnp.matmul(x, params[k]["w"]) + params[k]["b"]
        x = z if idx == len(order) - 1 else jnp.where(z > 0, z, 0.0)
    return x
