# a minimum where the scale needs a maximum: small gradients grow, large ones pass
# loses: gradients-are-clipped-before-adam-sees-them, one-norm-over-all-leaves, other-limits, small-gradients-are-untouched, both-sides-of-the-limit
# fair: 55-80 %
# mistake: small-gradients-are-scaled-up
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def clip(max_norm):
    def update(updates, state, params=None):
        norm = optax.tree.norm(updates)
        updates = jax.tree.map(lambda u: u / jnp.minimum(1.0, norm / max_norm), updates)
        return updates, state

    return optax.GradientTransformation(lambda params: optax.EmptyState(), update)


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return optax.adam(learning_rate)
    return optax.chain(clip(max_norm), optax.adam(learning_rate))


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
