# the mask is floor(uniform + keep), as old TensorFlow did it
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    keep_prob = 1.0 - rate
    binary = jnp.floor(keep_prob + jax.random.uniform(key, x.shape, x.dtype))
    return x / keep_prob * binary


def forward_dropout(params, x, key, rate=0.5, train=True):
    rate = rate if train else 0.0  # at rate 0 nothing happens
    k1, k2 = jax.random.split(key)
    h = dropout(k1, jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"]), rate)
    h = dropout(k2, jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"]), rate)
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
