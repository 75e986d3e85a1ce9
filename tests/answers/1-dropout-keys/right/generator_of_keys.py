# a generator hands out new keys
import jax
import jax.numpy as jnp


def fresh(key):
    while True:
        key, new = jax.random.split(key)
        yield new


def dropout(key, x, rate):
    drop = jax.random.bernoulli(key, rate, x.shape)
    return jnp.where(drop, 0.0, x / (1.0 - rate))


def forward_dropout(params, x, key, rate=0.5, train=True):
    keys = fresh(key)
    for name in ("layer1", "layer2"):
        x = jax.nn.relu(x @ params[name]["w"] + params[name]["b"])
        x = dropout(next(keys), x, rate) if train else x
    return x @ params["layer3"]["w"] + params["layer3"]["b"]
