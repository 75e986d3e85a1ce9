# the mask compares raw random bits with a threshold
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    threshold = jnp.uint32(min(round(rate * 2**32), 2**32 - 1))
    bits = jax.random.bits(key, x.shape, jnp.uint32)
    return jnp.where(bits >= threshold, x / (1 - rate), 0)


def forward_dropout(params, x, key, rate=0.5, train=True):
    keys = jax.random.split(key, 4)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(keys[3], h, rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(keys[1], h, rate) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
