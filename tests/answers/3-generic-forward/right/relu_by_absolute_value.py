# (z + |z|) / 2 as ReLU, and the bias first
import jax.numpy as jnp


def mlp_forward(params, x):
    sizes = [p["w"].shape for p in params.values()]
    depth = len(sizes)
    h = jnp.asarray(x, dtype=jnp.float32).reshape(x.shape[0], -1)
    for number in range(depth):
        layer = params[f"layer{number + 1}"]
        z = layer["b"] + h @ layer["w"]
        h = (z + jnp.abs(z)) / 2 if number + 1 < depth else z
    return h
