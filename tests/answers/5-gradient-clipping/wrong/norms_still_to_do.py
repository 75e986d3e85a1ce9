# the loop trains; None stands in place of the norms
# loses: train-returns-params-and-norms, norms-are-global-gradient-norms, norms-are-taken-before-clipping-and-before-the-update
# fair: 75-92 %
# mistake: norms-not-returned
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return optax.adam(learning_rate)
    return optax.chain(optax.clip_by_global_norm(max_norm), optax.adam(learning_rate))


def train(params, optimizer, batches):
    @jax.jit
    def step(params, state, x, y):
        grads = jax.grad(loss_fn)(params, x, y)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state

    state = optimizer.init(params)
    for x, y in batches:
        params, state = step(params, state, x, y)
    return params, None
