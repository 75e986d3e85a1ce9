# scale_by_adam alone: no learning rate, no sign
# loses: without-a-limit-it-is-plain-adam, the-learning-rate-is-used
# fair: 65-88 %
# mistake: learning-rate-and-sign-left-out, learning-rate-ignored
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return optax.scale_by_adam()
    return optax.chain(optax.clip_by_global_norm(max_norm), optax.scale_by_adam())


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
