# composes one function of closures
from functools import partial, reduce

import jax


def dense(layer, h):
    return h @ layer["w"] + layer["b"]


def compose(*functions):
    return lambda x: reduce(lambda value, f: f(value), functions, x)


def mlp_forward(params, x):
    parts = []
    for i in range(1, len(params) + 1):
        parts += [partial(dense, params[f"layer{i}"]), jax.nn.relu]
    return compose(*parts[:-1])(x)
