# forward_dropout is right with masks of its own; dropout was never written
# loses: dropout-is-a-pure-function, dropout-keeps-shape-and-dtype, survivors-are-divided-by-the-keep-probability, share-of-zeros-is-the-rate, rate-zero-changes-nothing, same-key-gives-the-same-mask, other-key-gives-another-mask, every-element-is-decided-on-its-own, raw-and-typed-keys-both-work
# fair: 38-60 %
# mistake: not-answered
import jax


def dropout(key, x, rate):
    raise NotImplementedError("Replace this line with your answer.")


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    if train:
        h = h * jax.random.bernoulli(k1, 1 - rate, h.shape) / (1 - rate)
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    if train:
        h = h * jax.random.bernoulli(k2, 1 - rate, h.shape) / (1 - rate)
    return h @ params["layer3"]["w"] + params["layer3"]["b"]
