# both functions are jitted objects with static rate and train
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnums=2)
def dropout(key, x, rate):
    mask = jax.random.bernoulli(key, 1 - rate, x.shape)
    return jnp.where(mask, x, 0) / (1 - rate)


@partial(jax.jit, static_argnames=("rate", "train"))
def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(k1, h, rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(k2, h, rate) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
