# each layer is clipped by a norm of its own
# loses: one-norm-over-all-leaves
# fair: 72-92 %
# mistake: each-layer-by-its-own-norm
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def clip(max_norm):
    def update(updates, state, params=None):
        inner = optax.clip_by_global_norm(max_norm)
        updates = {name: inner.update(layer, optax.EmptyState())[0] for name, layer in updates.items()}
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
