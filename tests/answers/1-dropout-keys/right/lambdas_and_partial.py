# a lambda and a partial object
from functools import partial

import jax
import jax.numpy as jnp

dropout = lambda key, x, rate: jax.lax.select(
    jax.random.bernoulli(key, 1 - rate, x.shape), x / (1 - rate), jnp.zeros_like(x)
)


def network(drop, params, x, key, rate=0.5, train=True):
    keys = iter(jax.random.split(key, 2))
    for name in ("layer1", "layer2"):
        x = jnp.maximum(x @ params[name]["w"] + params[name]["b"], 0)
        k = next(keys)
        x = drop(k, x, rate) if train else x
    return x @ params["layer3"]["w"] + params["layer3"]["b"]


forward_dropout = partial(network, dropout)
