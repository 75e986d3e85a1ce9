# with a limit, the two numbers are taken for each other
# loses: the-learning-rate-is-used, gradients-are-clipped-before-adam-sees-them, one-norm-over-all-leaves, other-limits, small-gradients-are-untouched, both-sides-of-the-limit
# fair: 50-75 %
# mistake: rate-and-limit-swapped
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def clipped_adam(max_norm, learning_rate):
    return optax.chain(optax.clip_by_global_norm(max_norm), optax.adam(learning_rate))


def make_optimizer(learning_rate=1e-3, max_norm=None):
    return optax.adam(learning_rate) if max_norm is None else clipped_adam(learning_rate, max_norm)


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
