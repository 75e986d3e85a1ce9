"""Model solution of 1-dropout-keys, extracted from its notebook: do not edit here.

``jaxercise reference`` writes this file.
"""

import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    """Zero each element of x with probability rate and divide the others by 1 - rate.

    Args:
        key: a PRNG key, typed or raw. It alone decides which elements survive.
        x: an array of any shape.
        rate: the probability that an element becomes zero, a Python float in [0, 1).

    Returns:
        An array with the shape and dtype of x.
    """
    keep = 1.0 - rate
    mask = jax.random.bernoulli(key, keep, x.shape)
    return jnp.where(mask, x / keep, jnp.zeros_like(x))


def forward_dropout(params, x, key, rate=0.5, train=True):
    """The lesson's network with dropout after each hidden ReLU.

    Args:
        params: {"layer1": {"w", "b"}, "layer2": ..., "layer3": ...}.
        x: images, (batch, 784).
        key: a PRNG key; a real one also when train is False.
        rate: the probability of dropping a hidden unit.
        train: a Python bool. False gives the plain forward pass.

    Returns:
        Logits, (batch, 10).
    """
    key1, key2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    if train:
        h = dropout(key1, h, rate)
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    if train:
        h = dropout(key2, h, rate)
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
