# y[mask] = 0, as in NumPy: JAX arrays cannot be written to
# loses: dropout-is-a-pure-function, forward-dropout-is-a-pure-function, dropout-keeps-shape-and-dtype, survivors-are-divided-by-the-keep-probability, share-of-zeros-is-the-rate, rate-zero-changes-nothing, same-key-gives-the-same-mask, other-key-gives-another-mask, every-element-is-decided-on-its-own, raw-and-typed-keys-both-work, logits-have-one-row-an-image, both-hidden-layers-are-dropped-out, units-are-scaled-once, each-layer-has-its-own-key, input-and-logits-are-left-alone, gradients-reach-every-layer, a-network-learns-with-it
# fair: 5-25 %
# mistake: raises
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    y = x / (1.0 - rate)
    y[jax.random.bernoulli(key, rate, x.shape)] = 0.0
    return y


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(k1, h, rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(k2, h, rate) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
