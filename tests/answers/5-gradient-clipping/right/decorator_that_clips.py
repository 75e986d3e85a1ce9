# a decorator adds the limit to any maker of optimizers
import functools

import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def with_limit(maker):
    @functools.wraps(maker)
    def limited(learning_rate=1e-3, max_norm=None, **settings):
        inner = maker(learning_rate, **settings)
        if max_norm is None:
            return inner

        def update(grads, state, params=None, **extra):
            norm = optax.tree.norm(grads)
            grads = jax.lax.cond(
                norm <= max_norm,
                lambda g: g,
                lambda g: optax.tree.scale(max_norm / norm, g),
                grads,
            )
            return inner.update(grads, state, params, **extra)

        return inner._replace(update=update)

    return limited


@with_limit
def make_optimizer(learning_rate, **settings):
    return optax.adam(learning_rate, **settings)


def train(params, optimizer, batches):
    @jax.jit
    def step(params, state, x, y):
        grads = jax.grad(loss_fn)(params, x, y)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, optax.tree.norm(grads)

    state, norms = optimizer.init(params), []
    for x, y in batches:
        params, state, norm = step(params, state, x, y)
        norms.append(norm)
    return params, jnp.stack(norms)
