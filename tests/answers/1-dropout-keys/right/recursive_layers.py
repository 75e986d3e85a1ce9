# recursion: each level splits off its own key and hands the rest on
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    kept = jax.random.uniform(key, x.shape) < 1.0 - rate
    return kept * x * (1.0 / (1.0 - rate))


def forward_dropout(params, x, key, rate=0.5, train=True, depth=1):
    layer = params[f"layer{depth}"]
    z = x @ layer["w"] + layer["b"]
    if depth == 3:
        return z
    rest, here = jax.random.split(key)
    h = jnp.maximum(z, 0.0)
    if train:
        h = dropout(here, h, rate)
    return forward_dropout(params, h, rest, rate, train, depth + 1)
