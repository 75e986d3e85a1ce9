# lax.scan over the rows, a key in the carry
import jax
import jax.numpy as jnp
from jax import lax


def dropout(key, x, rate):
    def step(key, row):
        key, here = jax.random.split(key)
        kept = jax.random.bernoulli(here, 1.0 - rate, row.shape)
        return key, jnp.where(kept, row / (1.0 - rate), 0.0)

    _, rows = lax.scan(step, key, x)
    return rows


def forward_dropout(params, x, key, rate=0.5, train=True):
    first, second = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    if train:
        h = dropout(first, h, rate)
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    if train:
        h = dropout(second, h, rate)
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
