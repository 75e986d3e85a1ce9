# weights are dropped instead of units (DropConnect)
# loses: both-hidden-layers-are-dropped-out
# fair: 75-95 %
# mistake: weights-are-dropped
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    keep = 1.0 - rate
    return jnp.where(jax.random.bernoulli(key, keep, x.shape), x / keep, 0.0)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    w2, w3 = params["layer2"]["w"], params["layer3"]["w"]
    if train:
        w2, w3 = dropout(k1, w2, rate), dropout(k2, w3, rate)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = jax.nn.relu(h @ w2 + params["layer2"]["b"])
    return h @ w3 + params["layer3"]["b"]
