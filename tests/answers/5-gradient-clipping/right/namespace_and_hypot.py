# a SimpleNamespace as the optimizer; norms by hypot; old names of tree functions
import functools
import types

import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def norm_of(tree):
    norms = [jnp.linalg.norm(leaf.reshape(-1)) for leaf in jax.tree_util.tree_leaves(tree)]
    return functools.reduce(jnp.hypot, norms)


def make_optimizer(learning_rate=1e-3, max_norm=None):
    adam = optax.adam(learning_rate)

    def update(grads, state, params):
        scale = 1.0 if max_norm is None else jnp.clip(max_norm / norm_of(grads), None, 1.0)
        return adam.update(jax.tree_util.tree_map(lambda g: g * scale, grads), state, params)

    return types.SimpleNamespace(init=adam.init, update=update)


def train(params, optimizer, batches):
    opt_state, grad_norms = optimizer.init(params), []
    for step in range(len(batches)):
        grads = jax.grad(loss_fn)(params, *batches[step])
        grad_norms.append(norm_of(grads))
        updates, opt_state = optimizer.update(grads, opt_state, params)
        params = jax.tree_util.tree_map(jnp.add, params, updates)
    return params, grad_norms
