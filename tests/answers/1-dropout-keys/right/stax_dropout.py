# the old stax library, whose rate is the probability of keeping
import jax
from jax.example_libraries import stax


def dropout(key, x, rate):
    _, apply = stax.Dropout(1.0 - rate, mode="train")
    return apply((), x, rng=key)


def forward_dropout(params, x, key, rate=0.5, train=True):
    w = [params[f"layer{i}"] for i in (1, 2, 3)]
    drop = dropout if train else (lambda key, h, rate: h)
    keys = jax.random.split(key, num=2)
    h = drop(keys[0], stax.relu(x @ w[0]["w"] + w[0]["b"]), rate)
    h = drop(keys[1], stax.relu(h @ w[1]["w"] + w[1]["b"]), rate)
    return h @ w[2]["w"] + w[2]["b"]
