# NamedTuples for keys and layers, settings in a frozen dataclass
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Layer(NamedTuple):
    w: jax.Array
    b: jax.Array

    def __call__(self, x):
        return x @ self.w + self.b


class Keys(NamedTuple):
    first: jax.Array
    second: jax.Array


@dataclass(frozen=True)
class Settings:
    rate: float
    train: bool


def dropout(key, x, rate):
    mask = jax.random.bernoulli(key, 1 - rate, jnp.shape(x))
    return jax.lax.select_n(mask, jnp.zeros_like(x), x / (1 - rate))


def hidden(layer, key, x, settings):
    h = jax.nn.relu(layer(x))
    return dropout(key, h, settings.rate) if settings.train else h


def forward_dropout(params, x, key, rate=0.5, train=True):
    one, two, three = (Layer(**params[f"layer{i}"]) for i in range(1, 4))
    keys, settings = Keys(*jax.random.split(key)), Settings(rate, train)
    return three(hidden(two, keys.second, hidden(one, keys.first, x, settings), settings))
