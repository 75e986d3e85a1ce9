# boolean indexing: the dropped elements are left out instead of zero
# loses: dropout-is-a-pure-function, forward-dropout-is-a-pure-function, dropout-keeps-shape-and-dtype, survivors-are-divided-by-the-keep-probability, share-of-zeros-is-the-rate, other-key-gives-another-mask, every-element-is-decided-on-its-own, logits-have-one-row-an-image, both-hidden-layers-are-dropped-out, units-are-scaled-once, each-layer-has-its-own-key, input-and-logits-are-left-alone, gradients-reach-every-layer, a-network-learns-with-it
# fair: 0-20 %
# mistake: cannot-be-traced, dropped-elements-are-left-out, raises
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    mask = jax.random.bernoulli(key, 1.0 - rate, x.shape)
    return x[mask] / (1.0 - rate)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(k1, h, rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(k2, h, rate) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
