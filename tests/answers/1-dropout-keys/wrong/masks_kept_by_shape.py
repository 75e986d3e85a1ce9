# masks are kept in a dict by shape: the first key decides for all later ones
# loses: dropout-is-a-pure-function, forward-dropout-is-a-pure-function, other-key-gives-another-mask, raw-and-typed-keys-both-work, logits-have-one-row-an-image
# fair: 55-78 %
# mistake: changes-what-is-outside, key-is-ignored, raises
import jax
import jax.numpy as jnp

MASKS = {}


def dropout(key, x, rate):
    keep = 1.0 - rate
    if (x.shape, rate) not in MASKS:
        MASKS[x.shape, rate] = jax.random.bernoulli(key, keep, x.shape)
    return jnp.where(MASKS[x.shape, rate], x / keep, 0.0)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(k1, h, rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(k2, h, rate) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
