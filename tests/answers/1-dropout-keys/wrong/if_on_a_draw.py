# a Python `if` on a random draw, one for the whole array
# loses: dropout-is-a-pure-function, forward-dropout-is-a-pure-function, share-of-zeros-is-the-rate, every-element-is-decided-on-its-own
# fair: 55-78 %
# mistake: cannot-be-traced, one-decision-for-the-whole-array
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    if jax.random.uniform(key) < rate:
        return jnp.zeros_like(x)
    return x / (1.0 - rate)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(k1, h, rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(k2, h, rate) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
