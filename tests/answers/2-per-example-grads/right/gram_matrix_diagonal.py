# norms from the diagonal of the Gram matrix of the raveled gradients
import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree

from mlp import loss_fn


def per_example_grads(params, x, y):
    flat, unravel = ravel_pytree(params)
    rows = jax.vmap(jax.grad(lambda f, xi, yi: loss_fn(unravel(f), xi, yi)), (None, 0, 0))(flat, x, y)
    return jax.vmap(unravel)(rows)


def per_example_grad_norms(params, x, y):
    rows = jax.vmap(lambda g: ravel_pytree(g)[0])(per_example_grads(params, x, y))
    return jnp.sqrt(jnp.diag(rows @ rows.T))
