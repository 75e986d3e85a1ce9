# a generator yields each step; the norm is that of a long vector
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    adam = optax.adam(learning_rate)
    return adam if max_norm is None else optax.chain(optax.clip_by_global_norm(max_norm), adam)


def steps(params, optimizer, batches):
    state = optimizer.init(params)
    value_and_grad = jax.jit(jax.value_and_grad(loss_fn))
    for x, y in batches:
        _, grads = value_and_grad(params, x, y)
        updates, state = optimizer.update(grads, state, params)
        params = optax.apply_updates(params, updates)
        vector = jnp.concatenate([jnp.ravel(g) for g in jax.tree.leaves(grads)])
        yield params, jnp.linalg.norm(vector)


def train(params, optimizer, batches):
    norms = []
    for params, norm in steps(params, optimizer, batches):
        norms.append(norm)
    return params, jnp.asarray(norms)
