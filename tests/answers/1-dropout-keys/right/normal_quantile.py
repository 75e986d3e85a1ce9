# the mask compares normal numbers with a quantile
import jax
import jax.numpy as jnp
from jax.scipy.stats import norm


def dropout(key, x, rate):
    dropped = jax.random.normal(key, x.shape) < norm.ppf(rate)
    return jnp.where(dropped, jnp.zeros((), x.dtype), x / (1 - rate))


def forward_dropout(params, x, key, rate=0.5, train=True):
    key, k1 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(k1, h, rate) if train else h
    key, k2 = jax.random.split(key)
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(k2, h, rate) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
