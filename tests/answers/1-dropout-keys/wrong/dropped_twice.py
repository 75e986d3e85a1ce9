# dropout is applied twice after each ReLU
# loses: both-hidden-layers-are-dropped-out, units-are-scaled-once
# fair: 80-95 %
# mistake: dropped-twice-in-a-layer
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    keep = 1.0 - rate
    return jnp.where(jax.random.bernoulli(key, keep, x.shape), x / keep, 0.0)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(k1, dropout(jax.random.fold_in(k1, 7), h, rate), rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(k2, dropout(jax.random.fold_in(k2, 7), h, rate), rate) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
