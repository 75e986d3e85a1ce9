# dropout before each ReLU: the same function, since ReLU keeps zero and positive scales
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    keep = 1.0 - rate
    return jnp.where(jax.random.bernoulli(key, keep, x.shape), x / keep, 0.0)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    z = x @ params["layer1"]["w"] + params["layer1"]["b"]
    h = jax.nn.relu(dropout(k1, z, rate) if train else z)
    z = h @ params["layer2"]["w"] + params["layer2"]["b"]
    h = jax.nn.relu(dropout(k2, z, rate) if train else z)
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
