# dropout returns the scaled mask and forgets to multiply x with it
# loses: survivors-are-divided-by-the-keep-probability, rate-zero-changes-nothing, both-hidden-layers-are-dropped-out, units-are-scaled-once, each-layer-has-its-own-key, gradients-reach-every-layer, a-network-learns-with-it
# fair: 40-65 %
# mistake: returns-the-mask-alone
import jax


def dropout(key, x, rate):
    keep = 1.0 - rate
    return jax.random.bernoulli(key, keep, x.shape).astype(x.dtype) / keep


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = dropout(k1, h, rate) if train else h
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    h = dropout(k2, h, rate) if train else h
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
