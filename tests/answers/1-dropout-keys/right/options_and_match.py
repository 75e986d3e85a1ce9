# **options, a match statement and module-level constants
import jax
import jax.numpy as jnp

HIDDEN = ("layer1", "layer2")
DEFAULTS = {"rate": 0.5, "train": True}


def dropout(key, x, rate):
    match rate:
        case 0:
            return x
        case _:
            keep = jnp.float32(1.0) - rate
            return jnp.where(jax.random.bernoulli(key, keep, x.shape), x / keep, 0.0)


def forward_dropout(params, x, key, **options):
    options = DEFAULTS | options
    for number, name in enumerate(HIDDEN):
        x = jax.nn.relu(x @ params[name]["w"] + params[name]["b"])
        if options["train"]:
            x = dropout(jax.random.fold_in(key, number), x, options["rate"])
    return x @ params["layer3"]["w"] + params["layer3"]["b"]
