# the images are dropped too
# loses: input-and-logits-are-left-alone
# fair: 85-98 %
# mistake: images-are-dropped
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    keep = 1.0 - rate
    return jnp.where(jax.random.bernoulli(key, keep, x.shape), x / keep, 0.0)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k0, k1, k2 = jax.random.split(key, 3)
    x = dropout(k0, x, rate) if train else x
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(k1, h, rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(k2, h, rate) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
