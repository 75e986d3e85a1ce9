# einsum, and a ReLU by multiplying with a mask
import jax.numpy as jnp


def mlp_forward(params, x):
    i, n = 1, len(params.keys())
    while i <= n:
        z = jnp.einsum("bi,io->bo", x, params[f"layer{i}"]["w"]) + params[f"layer{i}"]["b"]
        x = z * (z > 0) if i != n else z
        i += 1
    return x
