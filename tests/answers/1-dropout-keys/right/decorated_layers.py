# a decorator adds dropout to a layer
import functools

import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    mask = jax.random.bernoulli(key, p=1 - rate, shape=x.shape)
    return jnp.divide(jnp.multiply(x, mask), 1 - rate)


def with_dropout(key, rate, train):
    def decorate(layer):
        @functools.wraps(layer)
        def wrapped(x):
            out = layer(x)
            return dropout(key, out, rate) if train else out

        return wrapped

    return decorate


def forward_dropout(params, x, key, rate=0.5, train=True):
    key_a, key_b = jax.random.split(key)

    @with_dropout(key_a, rate, train)
    def first(x):
        return jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])

    @with_dropout(key_b, rate, train)
    def second(x):
        return jax.nn.relu(x @ params["layer2"]["w"] + params["layer2"]["b"])

    return second(first(x)) @ params["layer3"]["w"] + params["layer3"]["b"]
