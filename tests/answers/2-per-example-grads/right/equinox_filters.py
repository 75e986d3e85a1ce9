# Equinox: filter_vmap over filter_grad
import equinox as eqx
import jax
import jax.flatten_util
import jax.numpy as jnp
import optax

from mlp import forward


def loss(params, image, label):
    return optax.losses.softmax_cross_entropy_with_integer_labels(forward(params, image), label)


def per_example_grads(params, x, y):
    return eqx.filter_vmap(eqx.filter_grad(loss), in_axes=(None, 0, 0))(params, x, y)


@eqx.filter_jit
def per_example_grad_norms(params, x, y):
    flat = jax.vmap(lambda g: jax.flatten_util.ravel_pytree(g)[0])(per_example_grads(params, x, y))
    return jnp.sqrt(jnp.einsum("bi,bi->b", flat, flat))
