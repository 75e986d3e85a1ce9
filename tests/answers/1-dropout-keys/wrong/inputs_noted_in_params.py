# each layer's input is noted down in the caller's params
# loses: forward-dropout-is-a-pure-function
# fair: 85-97 %
# mistake: changes-its-arguments
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    keep = 1.0 - rate
    return jnp.where(jax.random.bernoulli(key, keep, x.shape), x / keep, 0.0)


def forward_dropout(params, x, key, rate=0.5, train=True):
    for name, k in zip(("layer1", "layer2"), jax.random.split(key)):
        params[name]["input"] = x
        x = jax.nn.relu(x @ params[name]["w"] + params[name]["b"])
        x = dropout(k, x, rate) if train else x
    return x @ params["layer3"]["w"] + params["layer3"]["b"]
