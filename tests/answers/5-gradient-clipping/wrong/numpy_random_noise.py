# noise from NumPy is added to the gradients
# loses: the-optimizer-is-pure, without-a-limit-it-is-plain-adam, the-learning-rate-is-used, defaults-are-those-of-the-contract, gradients-are-clipped-before-adam-sees-them, one-norm-over-all-leaves, other-limits, small-gradients-are-untouched, both-sides-of-the-limit
# fair: 30-55 %
# mistake: changes-what-is-outside
import jax
import jax.numpy as jnp
import numpy as np
import optax
from mlp import loss_fn


def noisy(optimizer):
    def update(grads, state, params=None):
        grads = jax.tree.map(lambda g: g + np.random.normal(0, 0.01, g.shape), grads)
        return optimizer.update(grads, state, params)

    return optax.GradientTransformation(optimizer.init, update)


def make_optimizer(learning_rate=1e-3, max_norm=None):
    parts = [optax.adam(learning_rate)]
    if max_norm is not None:
        parts.insert(0, optax.clip_by_global_norm(max_norm))
    return noisy(optax.chain(*parts))


def train(params, optimizer, batches):
    @jax.jit
    def step(params, state, x, y):
        grads = jax.grad(loss_fn)(params, x, y)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, optax.tree.norm(grads)

    state, norms = optimizer.init(params), []
    for x, y in batches:
        params, state, norm = step(params, state, x, y)
        norms.append(norm)
    return params, jnp.stack(norms)
