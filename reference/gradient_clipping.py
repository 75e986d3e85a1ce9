"""Model solution of 5-gradient-clipping, extracted from its notebook: do not edit here.

``jaxercise reference`` writes this file.
"""

import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    """Adam, on gradients clipped by their global norm if a limit is given.

    Args:
        learning_rate: Adam's step size, a positive float.
        max_norm: the largest global norm that a gradient may have when it reaches Adam, or None
            for plain Adam.

    Returns:
        An optimizer with ``init(params)`` and ``update(grads, state, params)``.
    """
    adam = optax.adam(learning_rate)
    if max_norm is None:
        return adam
    return optax.chain(optax.clip_by_global_norm(max_norm), adam)


def train(params, optimizer, batches):
    """Make one pass over the batches and record the norm of every gradient.

    Args:
        params: where to start; left as they are.
        optimizer: any Optax optimizer.
        batches: a list of (x, y), images (batch, 784) and labels (batch,), all of one size.

    Returns:
        (params, grad_norms): the trained parameters, and the global norm of each step's gradient
        before clipping, (len(batches),).
    """

    @jax.jit
    def step(params, state, x, y):
        grads = jax.grad(loss_fn)(params, x, y)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, optax.tree.norm(grads)

    state = optimizer.init(params)
    grad_norms = []
    for x, y in batches:
        params, state, norm = step(params, state, x, y)
        grad_norms.append(norm)
    return params, jnp.stack(grad_norms)
