# the key is made from the clock
# loses: dropout-is-a-pure-function, forward-dropout-is-a-pure-function, same-key-gives-the-same-mask, other-key-gives-another-mask, each-layer-has-its-own-key
# fair: 60-80 %
# mistake: key-is-ignored, other-results-at-each-call, randomness-besides-the-key
import time

import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    key = jax.random.key(time.time_ns() % 2**31)
    keep = 1.0 - rate
    return jnp.where(jax.random.bernoulli(key, keep, x.shape), x / keep, 0.0)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(k1, h, rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(k2, h, rate) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
