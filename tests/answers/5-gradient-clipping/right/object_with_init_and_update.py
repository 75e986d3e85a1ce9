# an object with two methods; NumPy norms; extra optional parameters
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.flatten_util import ravel_pytree
from mlp import loss_fn


class ClippedAdam:
    def __init__(self, learning_rate, max_norm, b1, b2):
        self.limit, self.adam = max_norm, optax.adam(learning_rate, b1=b1, b2=b2)

    def init(self, params):
        return self.adam.init(params)

    def update(self, grads, state, params=None):
        if self.limit is not None:
            flat, unravel = ravel_pytree(grads)
            norm = jnp.linalg.norm(flat)
            grads = unravel(jax.lax.cond(norm > self.limit, lambda: flat * self.limit / norm, lambda: flat))
        return self.adam.update(grads, state, params)


def make_optimizer(learning_rate=1e-3, max_norm=None, *, b1=0.9, b2=0.999):
    return ClippedAdam(learning_rate, max_norm, b1, b2)


def train(params, optimizer, batches, log=None):
    grad = jax.jit(jax.grad(loss_fn))
    state, norms = optimizer.init(params), np.zeros(len(batches))
    for i, (x, y) in enumerate(batches):
        grads = grad(params, x, y)
        norms[i] = np.sqrt(sum(np.sum(np.asarray(g) ** 2) for g in jax.tree.leaves(grads)))
        updates, state = optimizer.update(grads, state, params)
        params = jax.tree.map(lambda p, u: p + u, params, updates)
        if log:
            log(i, norms[i])
    return params, norms
