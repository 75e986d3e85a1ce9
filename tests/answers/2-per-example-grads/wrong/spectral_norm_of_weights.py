# the largest singular value of each weight gradient, right for rank one; biases forgotten
# loses: norms-count-every-leaf
# fair: 80-95 %
# mistake: biases-left-out
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def spectral_norm(w):
    right = w.sum(axis=0)
    for _ in range(3):  # power iteration
        left = w @ right / jnp.linalg.norm(w @ right)
        right = w.T @ left
    return jnp.linalg.norm(right)


def per_example_grad_norms(params, x, y):
    grads = per_example_grads(params, x, y)
    return jnp.sqrt(sum(jax.vmap(spectral_norm)(layer["w"]) ** 2 for layer in grads.values()))
