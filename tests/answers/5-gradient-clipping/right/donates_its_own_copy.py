# donates buffers, but of a copy that it made itself
from functools import partial

import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return optax.adam(learning_rate)
    return optax.chain(optax.clip_by_global_norm(max_norm), optax.adam(learning_rate))


def train(params, optimizer, batches):
    @partial(jax.jit, donate_argnums=(0, 1))
    def step(params, state, batch):
        grads = jax.grad(loss_fn)(params, *batch)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, optax.tree.norm(grads)

    params = jax.tree.map(jnp.copy, params)
    state = optimizer.init(params)
    norms = jnp.zeros(len(batches))
    for i, batch in enumerate(batches):
        params, state, norm = step(params, state, batch)
        norms = norms.at[i].set(norm)
    return params, norms
