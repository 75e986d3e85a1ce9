# functools.reduce carries everything along
import functools

import jax
import numpy as np
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    adam = optax.adam(learning_rate)
    return adam if max_norm is None else optax.chain(optax.clip_by_global_norm(max_norm), adam)


def train(params, optimizer, batches):
    gradient = jax.jit(jax.grad(loss_fn))
    update = jax.jit(optimizer.update)

    def step(so_far, batch):
        params, state, norms = so_far
        grads = gradient(params, *batch)
        updates, state = update(grads, state, params)
        return optax.apply_updates(params, updates), state, norms + [optax.tree.norm(grads).item()]

    params, _, norms = functools.reduce(step, batches, (params, optimizer.init(params), []))
    return params, np.array(norms, dtype=np.float32)
