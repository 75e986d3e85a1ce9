# pops layers, from a copy
import jax


def mlp_forward(params, x):
    rest = dict(params)
    number = 1
    while len(rest) > 1:
        layer = rest.pop(f"layer{number}")
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
        number += 1
    ((_, layer),) = rest.items()
    return x @ layer["w"] + layer["b"]
