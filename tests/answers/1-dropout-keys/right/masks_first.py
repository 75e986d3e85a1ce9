# masks as multipliers, drawn before the network runs; the parent key draws the first
import jax
import jax.numpy as jnp


def multiplier(key, shape, rate):
    return jax.random.bernoulli(key, 1 - rate, shape) / (1 - rate)


def dropout(key, x, rate):
    return x * multiplier(key, x.shape, rate)


def forward_dropout(params, x, key, rate=0.5, train=True):
    other, _ = jax.random.split(key)
    w1, w2, w3 = (params[n]["w"] for n in ("layer1", "layer2", "layer3"))
    b1, b2, b3 = (params[n]["b"] for n in ("layer1", "layer2", "layer3"))
    if train:
        m1 = multiplier(key, (x.shape[0], w1.shape[1]), rate)
        m2 = multiplier(other, (x.shape[0], w2.shape[1]), rate)
    else:
        m1 = m2 = jnp.ones(())
    return jax.nn.relu(jax.nn.relu(x @ w1 + b1) * m1 @ w2 + b2) * m2 @ w3 + b3
