# 1 / (1 - rate) goes into the next layer's weights: the same network, one division fewer
import jax
import jax.numpy as jnp


def mask(key, shape, rate):
    return jax.random.bernoulli(key, 1 - rate, shape)


def dropout(key, x, rate):
    return jnp.where(mask(key, x.shape, rate), x / (1 - rate), 0)


def forward_dropout(params, x, key, rate=0.5, train=True):
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    scale = 1.0
    k1, k2 = jax.random.split(key)
    if train:
        h, scale = h * mask(k1, h.shape, rate), 1 / (1 - rate)
    h = jax.nn.relu(h @ (params["layer2"]["w"] * scale) + params["layer2"]["b"])
    if train:
        h = h * mask(k2, h.shape, rate)
    return h @ (params["layer3"]["w"] * scale) + params["layer3"]["b"]
