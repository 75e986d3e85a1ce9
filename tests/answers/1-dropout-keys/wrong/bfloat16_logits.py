# the logits are bfloat16, so they have three digits at most
# loses: without-training-it-is-the-plain-network
# fair: 90-97 %
# mistake: none named
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    mask = jax.random.bernoulli(key, 1 - rate, x.shape)
    return jnp.where(mask, x / (1 - rate), 0)


def forward_dropout(params, x, key, rate=0.5, train=True):
    for name, layer_key in zip(("layer1", "layer2"), jax.random.split(key)):
        x = jax.nn.relu(x @ params[name]["w"] + params[name]["b"])
        if train:
            x = dropout(layer_key, x, rate)
    return (x @ params["layer3"]["w"] + params["layer3"]["b"]).astype(jnp.bfloat16)
