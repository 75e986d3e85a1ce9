# a permutation drops exactly that share of the elements, always the same number
# loses: every-element-is-decided-on-its-own
# fair: 80-97 %
# mistake: exactly-that-many-are-dropped
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    n_keep = round((1.0 - rate) * x.size)
    order = jax.random.permutation(key, x.size).reshape(x.shape)
    return jnp.where(order < n_keep, x / (1.0 - rate), 0.0)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(k1, h, rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(k2, h, rate) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
