# the middle layers by scan with unroll when they are alike; extra keyword parameters
import jax
import jax.numpy as jnp


def mlp_forward(params, x, *, activation=jax.nn.relu, unroll=2):
    layers = [params[f"layer{k}"] for k in range(1, len(params) + 1)]
    if len(layers) == 1:
        return x @ layers[0]["w"] + layers[0]["b"]
    first, middle, last = layers[0], layers[1:-1], layers[-1]
    h = activation(x @ first["w"] + first["b"])
    if middle and all(p["w"].shape == middle[0]["w"].shape for p in middle) and middle[0]["w"].shape[0] == middle[0]["w"].shape[1]:
        w = jnp.stack([p["w"] for p in middle])
        b = jnp.stack([p["b"] for p in middle])
        h, _ = jax.lax.scan(lambda h, wb: (activation(h @ wb[0] + wb[1]), None), h, (w, b), unroll=unroll)
    else:
        for p in middle:
            h = activation(h @ p["w"] + p["b"])
    return h @ last["w"] + last["b"]
