# turns the dict into a list of named tuples first
import re
from typing import NamedTuple

import jax


class Layer(NamedTuple):
    number: int
    w: jax.Array
    b: jax.Array


def in_order(params):
    found = [Layer(int(re.search(r"\d+$", name).group()), **p) for name, p in params.items()]
    return sorted(found, key=lambda layer: layer.number)


def mlp_forward(params, x):
    *hidden, output = in_order(params)
    for _, w, b in hidden:
        x = jax.nn.relu(x @ w + b)
    return x @ output.w + output.b
