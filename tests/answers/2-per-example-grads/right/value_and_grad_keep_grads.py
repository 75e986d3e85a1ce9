# vmap(value_and_grad), integer-label optax loss, keeps only the gradients
import jax
import jax.numpy as jnp

import optax

def loss_one(params, x, y):
    h = x
    for name in ("layer1", "layer2"):
        h = jax.nn.relu(h @ params[name]["w"] + params[name]["b"])
    logits = h @ params["layer3"]["w"] + params["layer3"]["b"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y)


def per_example_grads(params, x, y):
    _, grads = jax.vmap(jax.value_and_grad(loss_one), in_axes=(None, 0, 0), out_axes=0)(params, x, y)
    return grads


def per_example_grad_norms(params, x, y):
    g = per_example_grads(params, x, y)
    leaf_norms = [jnp.linalg.norm(l.reshape(len(x), -1), axis=-1) for l in jax.tree.leaves(g)]
    return jnp.linalg.norm(jnp.stack(leaf_norms, axis=-1), axis=-1)
