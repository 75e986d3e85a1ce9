# a partial of a function with one more parameter
from functools import partial

import jax


def network(activation, params, x):
    names = sorted(params, key=lambda name: int(name.removeprefix("layer")))
    for name in names:
        if name != names[0]:
            x = activation(x)
        x = x @ params[name]["w"] + params[name]["b"]
    return x


mlp_forward = partial(network, jax.nn.relu)
