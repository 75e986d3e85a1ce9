# dropout takes (x, rate, key), as a library might
# loses: dropout-is-a-pure-function, dropout-keeps-shape-and-dtype, survivors-are-divided-by-the-keep-probability, share-of-zeros-is-the-rate, rate-zero-changes-nothing, same-key-gives-the-same-mask, other-key-gives-another-mask, every-element-is-decided-on-its-own, raw-and-typed-keys-both-work
# fair: 45-70 %
# mistake: arguments-in-another-order
import jax
import jax.numpy as jnp


def dropout(x, rate, key):
    keep = 1.0 - rate
    return jnp.where(jax.random.bernoulli(key, keep, x.shape), x / keep, 0.0)


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(h, rate, k1) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(h, rate, k2) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
