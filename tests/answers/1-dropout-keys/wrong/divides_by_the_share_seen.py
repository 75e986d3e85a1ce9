# survivors are divided by the share that survived, not by 1 - rate
# loses: survivors-are-divided-by-the-keep-probability, units-are-scaled-once
# fair: 72-95 %
# mistake: scale-is-the-share-that-survived
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    mask = jax.random.bernoulli(key, 1.0 - rate, x.shape)
    return x * mask / jnp.maximum(mask.mean(), 1e-6)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(k1, h, rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(k2, h, rate) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
