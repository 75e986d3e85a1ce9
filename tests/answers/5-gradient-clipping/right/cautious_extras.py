# zero_nans, apply_if_finite, a constant schedule: nothing changes for finite gradients
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    chain = [optax.zero_nans()]
    if max_norm is not None:
        chain.append(optax.clip_by_global_norm(max_norm))
    chain += [optax.scale_by_adam(), optax.scale_by_schedule(optax.constant_schedule(learning_rate)), optax.scale(-1)]
    return optax.apply_if_finite(optax.chain(*chain), max_consecutive_errors=5)


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
