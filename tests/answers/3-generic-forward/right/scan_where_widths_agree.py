# scans over the hidden layers where all have one shape, else loops
import jax
import jax.numpy as jnp


def hidden(h, layer):
    return jax.nn.relu(h @ layer["w"] + layer["b"]), None


def mlp_forward(params, x):
    layers = [params[f"layer{k}"] for k in range(1, len(params) + 1)]
    *first, last = layers
    if len({layer["w"].shape for layer in first}) == 1 and first[0]["w"].shape[0] == first[0]["w"].shape[1]:
        stacked = jax.tree.map(lambda *parts: jnp.stack(parts), *first)
        x, _ = jax.lax.scan(hidden, x, stacked)
    else:
        for layer in first:
            x, _ = hidden(x, layer)
    return x @ last["w"] + last["b"]
