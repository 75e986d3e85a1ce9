# x goes through NumPy: right values, but no trace and no gradient
# loses: dropout-is-a-pure-function, forward-dropout-is-a-pure-function, gradients-reach-every-layer, a-network-learns-with-it
# fair: 65-85 %
# mistake: cannot-be-traced, raises
import jax
import jax.numpy as jnp
import numpy as np


def dropout(key, x, rate):
    mask = np.asarray(jax.random.bernoulli(key, 1.0 - rate, x.shape))
    return jnp.asarray(np.where(mask, np.asarray(x) / (1.0 - rate), 0.0), jnp.float32)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(k1, h, rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(k2, h, rate) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
