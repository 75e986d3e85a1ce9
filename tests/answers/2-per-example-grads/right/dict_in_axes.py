# the example is a dict, and in_axes follows it
import jax
import jax.numpy as jnp
import optax

from mlp import forward


def loss(params, example):
    logits = forward(params, example["image"])
    return optax.softmax_cross_entropy(logits, jax.nn.one_hot(example["label"], logits.shape[-1]))


AXES = (None, {"image": 0, "label": 0})


def per_example_grads(params, x, y):
    batch = {"image": x, "label": y}
    return jax.vmap(jax.grad(loss), in_axes=AXES, out_axes=0, axis_name="batch")(params, batch)


def per_example_grad_norms(params, x, y):
    def length(params, example):
        tree = jax.grad(loss)(params, example)
        return optax.tree_utils.tree_norm(tree)

    return jax.vmap(length, in_axes=AXES)(params, {"image": x, "label": y})
