# a gradient above the limit is dropped instead of scaled
# loses: gradients-are-clipped-before-adam-sees-them, one-norm-over-all-leaves, other-limits, both-sides-of-the-limit
# fair: 55-80 %
# mistake: large-gradients-are-dropped
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def drop_above(max_norm):
    def drop(updates, params=None):
        keep = optax.tree.norm(updates) <= max_norm
        return jax.tree.map(lambda u: jnp.where(keep, u, 0.0), updates)

    return optax.stateless(drop)


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return optax.adam(learning_rate)
    return optax.chain(drop_above(max_norm), optax.adam(learning_rate))


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
