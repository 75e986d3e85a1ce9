# recursion instead of a loop
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    adam = optax.adam(learning_rate)
    return adam if max_norm is None else optax.chain(optax.clip_by_global_norm(max_norm), adam)


def _train(params, state, optimizer, batches):
    if not batches:
        return params, []
    (x, y), *rest = batches
    grads = jax.grad(loss_fn)(params, x, y)
    updates, state = optimizer.update(grads, state, params)
    trained, norms = _train(optax.apply_updates(params, updates), state, optimizer, rest)
    return trained, [optax.tree.norm(grads), *norms]


def train(params, optimizer, batches):
    return _train(params, optimizer.init(params), optimizer, batches)
