# forward_dropout splits a key that it keeps outside
# loses: forward-dropout-is-a-pure-function, each-layer-has-its-own-key
# fair: 72-92 %
# mistake: changes-what-is-outside, key-is-ignored
import jax
import jax.numpy as jnp

KEY = jax.random.key(0)


def dropout(key, x, rate):
    keep = 1.0 - rate
    return jnp.where(jax.random.bernoulli(key, keep, x.shape), x / keep, 0.0)


def forward_dropout(params, x, key, rate=0.5, train=True):
    global KEY
    KEY, k1, k2 = jax.random.split(KEY, 3)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(k1, h, rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(k2, h, rate) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
