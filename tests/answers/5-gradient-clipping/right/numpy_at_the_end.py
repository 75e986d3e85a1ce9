# NumPy adds the updates and takes the norms; parameters come back as NumPy arrays
import math

import jax
import numpy as np
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    adam = optax.adam(learning_rate)
    return adam if max_norm is None else optax.chain(optax.clip_by_global_norm(max_norm), adam)


def global_norm(tree):
    return math.sqrt(math.fsum(float(np.vdot(leaf, leaf)) for leaf in map(np.asarray, jax.tree.leaves(tree))))


def train(params, optimizer, batches):
    gradient = jax.jit(jax.grad(loss_fn))
    params = jax.tree.map(np.array, params)
    state, norms = optimizer.init(params), []
    for x, y in batches:
        grads = gradient(params, x, y)
        norms += [global_norm(grads)]
        updates, state = optimizer.update(grads, state, params)
        for name, layer in params.items():
            for part in layer:
                layer[part] += np.asarray(updates[name][part])
    return params, tuple(norms)
