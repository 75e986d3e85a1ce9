# dropped elements keep their value; only survivors change
# loses: survivors-are-divided-by-the-keep-probability, share-of-zeros-is-the-rate, both-hidden-layers-are-dropped-out, units-are-scaled-once, each-layer-has-its-own-key
# fair: 45-70 %
# mistake: dropped-elements-are-not-zero
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    keep = 1.0 - rate
    return jnp.where(jax.random.bernoulli(key, keep, x.shape), x / keep, x)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(k1, h, rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(k2, h, rate) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
