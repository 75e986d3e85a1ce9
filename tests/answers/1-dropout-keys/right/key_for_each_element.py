# every element gets a key of its own, under vmap
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    def one(key, value):
        return jnp.where(jax.random.uniform(key) < rate, 0.0, value / (1.0 - rate))

    keys = jax.random.split(key, x.size)
    return jax.vmap(one)(keys, x.ravel()).reshape(x.shape)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    if train:
        h = dropout(k1, h, rate)
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    if train:
        h = dropout(k2, h, rate)
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
