# functools.reduce over pairs of layers and keys; rate and train by keyword only
from functools import reduce

import jax
import jax.numpy as jnp


def dropout(key, x, rate, /):
    return x * (jax.random.uniform(key, x.shape, minval=-rate, maxval=1 - rate) >= 0) / (1 - rate)


def forward_dropout(params, x, key, *, rate=0.5, train=True):
    def step(h, item):
        layer, k = item
        h = jax.nn.relu(jnp.dot(h, layer["w"]) + layer["b"])
        return dropout(k, h, rate) if train else h

    hidden = [params["layer1"], params["layer2"]]
    h = reduce(step, zip(hidden, jax.random.split(key, len(hidden))), x)
    return jnp.dot(h, params["layer3"]["w"]) + params["layer3"]["b"]
