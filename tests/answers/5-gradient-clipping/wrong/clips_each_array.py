# each array is clipped by its own norm
# loses: one-norm-over-all-leaves
# fair: 70-90 %
# mistake: each-array-by-its-own-norm
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def clip_each(max_norm):
    def clip(updates, params=None):
        return jax.tree.map(lambda u: u * jnp.minimum(1.0, max_norm / (jnp.linalg.norm(u) + 1e-12)), updates)

    return optax.stateless(clip)


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return optax.adam(learning_rate)
    return optax.chain(clip_each(max_norm), optax.adam(learning_rate))


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
