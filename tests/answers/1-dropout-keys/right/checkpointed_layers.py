# jax.checkpoint around each hidden layer: masks are drawn again in the backward pass
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    return jnp.where(jax.random.bernoulli(key, 1 - rate, x.shape), x, 0.0) / (1 - rate)


def forward_dropout(params, x, key, rate=0.5, train=True):
    @jax.checkpoint
    def hidden(layer, x, key):
        h = jax.nn.relu(x @ layer["w"] + layer["b"])
        return dropout(key, h, rate) if train else h

    a, b = jax.random.split(key)
    x = hidden(params["layer1"], x, a)
    x = hidden(params["layer2"], x, b)
    return x @ params["layer3"]["w"] + params["layer3"]["b"]
