# Equinox: filter_value_and_grad, filter_jit, apply_updates
import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return optax.adam(learning_rate)
    return optax.chain(optax.clip_by_global_norm(max_norm), optax.adam(learning_rate))


@eqx.filter_jit
def step(params, state, optimizer, x, y):
    loss, grads = eqx.filter_value_and_grad(loss_fn)(params, x, y)
    updates, state = optimizer.update(grads, state, eqx.filter(params, eqx.is_array))
    return eqx.apply_updates(params, updates), state, optax.global_norm(grads)


def train(params, optimizer, batches):
    state = optimizer.init(eqx.filter(params, eqx.is_array))
    norms = []
    for x, y in batches:
        params, state, norm = step(params, state, optimizer, x, y)
        norms.append(norm)
    return params, jnp.asarray(norms)
