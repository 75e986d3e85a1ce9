# keys by fold_in, one number a layer
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    mask = jax.random.uniform(key, x.shape) >= rate
    return mask * x / (1 - rate)


def forward_dropout(params, x, key, rate=0.5, train=True):
    for i in (1, 2):
        x = jax.nn.relu(x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"])
        if train:
            x = dropout(jax.random.fold_in(key, i), x, rate)
    return x @ params["layer3"]["w"] + params["layer3"]["b"]
