# one key for each hidden layer in a pytree like the params (optax), masks by tree_map
import jax
import jax.numpy as jnp
import optax


def dropout(key, x, rate):
    mask = jax.random.bernoulli(key, 1.0 - rate, x.shape)
    return jax.tree_util.tree_map(lambda v, m: jnp.where(m, v / (1.0 - rate), 0.0), x, mask)


def forward_dropout(params, x, key, rate=0.5, train=True):
    biases = {name: params[name]["b"] for name in ("layer1", "layer2")}
    keys = optax.tree_utils.tree_split_key_like(key, biases)
    for name in biases:
        x = jax.nn.relu(x @ params[name]["w"] + params[name]["b"])
        x = dropout(keys[name], x, rate) if train else x
    return x @ params["layer3"]["w"] + params["layer3"]["b"]
