# a decorator that makes a per-example function of any function of one example
import functools

import jax
import jax.numpy as jnp

from mlp import cross_entropy, forward


def for_each_example(function):
    @functools.wraps(function)
    def batched(params, x, y):
        return jax.vmap(functools.partial(function, params))(x, y)

    return batched


@for_each_example
def per_example_grads(params, x, y):
    return jax.grad(lambda p: cross_entropy(forward(p, x), y))(params)


@for_each_example
def per_example_grad_norms(params, x, y):
    grads = jax.grad(lambda p: cross_entropy(forward(p, x), y))(params)
    return jnp.sqrt(jax.tree.reduce(lambda total, g: total + jnp.vdot(g, g), grads, 0.0))
