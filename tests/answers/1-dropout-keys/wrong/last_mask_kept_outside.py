# the last mask is kept in a global variable
# loses: dropout-is-a-pure-function, forward-dropout-is-a-pure-function
# fair: 80-95 %
# mistake: changes-what-is-outside
import jax
import jax.numpy as jnp

last_mask = None


def dropout(key, x, rate):
    global last_mask
    last_mask = jax.random.bernoulli(key, 1.0 - rate, x.shape)
    return jnp.where(last_mask, x / (1.0 - rate), 0.0)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(k1, h, rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(k2, h, rate) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
