# functools.reduce over the hidden layers
from functools import reduce

import jax


def mlp_forward(params, x):
    *hidden, last = (params[f"layer{i + 1}"] for i in range(len(params)))
    h = reduce(lambda h, p: jax.nn.relu(h @ p["w"] + p["b"]), hidden, x)
    return h @ last["w"] + last["b"]
