# the step is lowered and compiled ahead; device_get at the end
import jax
import numpy as np
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    adam = optax.adam(learning_rate)
    return adam if max_norm is None else optax.chain(optax.clip_by_global_norm(max_norm), adam)


def train(params, optimizer, batches):
    def step(params, state, batch):
        grads = jax.grad(loss_fn)(params, *batch)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, optax.tree.norm(grads)

    state = optimizer.init(params)
    compiled = jax.jit(step).lower(params, state, batches[0]).compile()
    norms = {}
    for number, batch in enumerate(batches):
        params, state, norms[number] = compiled(params, state, batch)
    return jax.device_get(params), np.fromiter(jax.device_get(norms).values(), np.float64)
