# zeros of the right shapes
# loses: survivors-are-divided-by-the-keep-probability, share-of-zeros-is-the-rate, rate-zero-changes-nothing, other-key-gives-another-mask, every-element-is-decided-on-its-own, without-training-it-is-the-plain-network, both-hidden-layers-are-dropped-out, units-are-scaled-once, each-layer-has-its-own-key, gradients-reach-every-layer, a-network-learns-with-it
# fair: 10-30 %
# mistake: everything-is-dropped
import jax.numpy as jnp


def dropout(key, x, rate):
    return jnp.zeros_like(x)


def forward_dropout(params, x, key, rate=0.5, train=True):
    return jnp.zeros((x.shape[0], params["layer3"]["b"].shape[0]))
