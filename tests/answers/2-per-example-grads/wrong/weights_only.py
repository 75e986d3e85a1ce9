# norms over the weights, biases forgotten
# loses: norms-count-every-leaf
# fair: 80-95 %
# mistake: biases-left-out
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    weights = [layer["w"] for layer in per_example_grads(params, x, y).values()]
    return jnp.sqrt(sum(jnp.sum(w**2, axis=(1, 2)) for w in weights))
