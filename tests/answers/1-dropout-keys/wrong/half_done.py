# dropout is right, forward_dropout was never written
# loses: forward-dropout-is-a-pure-function, logits-have-one-row-an-image, without-training-it-is-the-plain-network, both-hidden-layers-are-dropped-out, units-are-scaled-once, each-layer-has-its-own-key, input-and-logits-are-left-alone, gradients-reach-every-layer, a-network-learns-with-it
# fair: 40-62 %
# mistake: not-answered
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    keep = 1.0 - rate
    return jnp.where(jax.random.bernoulli(key, keep, x.shape), x / keep, 0.0)


def forward_dropout(params, x, key, rate=0.5, train=True):
    raise NotImplementedError
