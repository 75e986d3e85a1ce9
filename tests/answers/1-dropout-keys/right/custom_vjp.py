# a hand-written derivative that keeps the mask
from functools import partial

import jax
import jax.numpy as jnp


@jax.custom_vjp
def masked(x, mask):
    return x * mask


masked.defvjp(lambda x, mask: (x * mask, mask), lambda mask, g: (g * mask, None))


def dropout(key, x, rate):
    mask = jax.random.bernoulli(key, 1 - rate, x.shape).astype(x.dtype) / (1 - rate)
    return masked(x, mask)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    for k, name in ((k1, "layer1"), (k2, "layer2")):
        x = jax.nn.relu(x @ params[name]["w"] + params[name]["b"])
        if train:
            x = dropout(k, x, rate)
    return x @ params["layer3"]["w"] + params["layer3"]["b"]
