# lax.scan over the stacked batches, one compiled program
from functools import partial

import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return optax.adam(learning_rate)
    return optax.chain(optax.clip_by_global_norm(max_norm), optax.adam(learning_rate))


@partial(jax.jit, static_argnums=1)
def train(params, optimizer, batches):
    xs, ys = (jnp.stack(part) for part in zip(*batches))

    def step(carry, batch):
        params, state = carry
        grads = jax.grad(loss_fn)(params, *batch)
        updates, state = optimizer.update(grads, state, params)
        return (optax.apply_updates(params, updates), state), optax.tree.norm(grads)

    (params, _), norms = jax.lax.scan(step, (params, optimizer.init(params)), (xs, ys))
    return params, norms
