# forward_dropout computes the logits and returns nothing
# loses: logits-have-one-row-an-image, without-training-it-is-the-plain-network, both-hidden-layers-are-dropped-out, units-are-scaled-once, each-layer-has-its-own-key, input-and-logits-are-left-alone, gradients-reach-every-layer, a-network-learns-with-it
# fair: 45-70 %
# mistake: returns-nothing
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    keep = 1.0 - rate
    return jnp.where(jax.random.bernoulli(key, keep, x.shape), x / keep, 0.0)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(k1, h, rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(k2, h, rate) if train else h
    logits = h @ params["layer3"]["w"] + params["layer3"]["b"]
