# Flax Linen layers fed with the lesson params, then renamed back; a frozen dict comes out
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.core import freeze


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(256, name="layer1")(x))
        x = nn.relu(nn.Dense(128, name="layer2")(x))
        return nn.Dense(10, name="layer3")(x)


def loss(variables, image, label):
    logits = Net().apply({"params": variables}, image)
    return optax.softmax_cross_entropy_with_integer_labels(logits, label)


def per_example_grads(params, x, y):
    named = {name: {"kernel": leaf["w"], "bias": leaf["b"]} for name, leaf in params.items()}
    grads = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(named, x, y)
    return freeze({name: {"w": g["kernel"], "b": g["bias"]} for name, g in grads.items()})


def per_example_grad_norms(params, x, y):
    return jax.vmap(optax.global_norm)(per_example_grads(params, x, y))
