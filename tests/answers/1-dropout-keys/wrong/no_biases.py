# the biases of all layers are left out
# loses: without-training-it-is-the-plain-network, both-hidden-layers-are-dropped-out, units-are-scaled-once, each-layer-has-its-own-key, gradients-reach-every-layer
# fair: 70-90 %
# mistake: a-bias-is-left-out
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    keep = 1.0 - rate
    return jnp.where(jax.random.bernoulli(key, keep, x.shape), x / keep, 0.0)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"])
    h = dropout(k1, h, rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"])
    h = dropout(k2, h, rate) if train else h
    return h @ params["layer3"]["w"]
