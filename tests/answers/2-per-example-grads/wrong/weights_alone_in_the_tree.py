# a dict of the weights' gradients, without the biases
# loses: gradients-have-the-structure-of-params, each-row-is-the-gradient-of-its-own-loss, norms-count-every-leaf
# fair: 55-80 %
# mistake: biases-left-out
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    grads = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)
    return {name: layer["w"] for name, layer in grads.items()}


def per_example_grad_norms(params, x, y):
    weights = per_example_grads(params, x, y).values()
    return jnp.sqrt(sum(jnp.sum(w**2, axis=(1, 2)) for w in weights))
