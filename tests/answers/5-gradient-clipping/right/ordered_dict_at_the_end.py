# train puts the layers into an OrderedDict at the end, the first one first
from collections import OrderedDict

import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    adam = optax.adam(learning_rate)
    return adam if max_norm is None else optax.chain(optax.clip_by_global_norm(max_norm), adam)


def train(params, optimizer, batches):
    state, norms = optimizer.init(params), []
    gradient = jax.jit(jax.grad(loss_fn))
    for x, y in batches:
        grads = gradient(params, x, y)
        norms.append(optax.tree.norm(grads))
        updates, state = optimizer.update(grads, state, params)
        params = optax.apply_updates(params, updates)
    layers = OrderedDict((name, OrderedDict(params[name])) for name in sorted(params))
    return layers, jnp.stack(norms)
