# objects with __call__ instead of functions
import jax
import jax.numpy as jnp


class Dropout:
    def __call__(self, key, x, rate):
        keep = 1.0 - rate
        return jnp.where(jax.random.bernoulli(key, keep, x.shape), x / keep, 0.0)


class Network:
    def __init__(self, drop):
        self.drop = drop

    def layer(self, params, name, x):
        return x @ params[name]["w"] + params[name]["b"]

    def __call__(self, params, x, key, rate=0.5, train=True):
        k1, k2 = jax.random.split(key)
        x = jax.nn.relu(self.layer(params, "layer1", x))
        if train:
            x = self.drop(k1, x, rate)
        x = jax.nn.relu(self.layer(params, "layer2", x))
        if train:
            x = self.drop(k2, x, rate)
        return self.layer(params, "layer3", x)


dropout = Dropout()
forward_dropout = Network(dropout)
