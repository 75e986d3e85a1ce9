# clips by the root mean square of all entries
# loses: gradients-are-clipped-before-adam-sees-them, one-norm-over-all-leaves, other-limits, both-sides-of-the-limit
# fair: 60-82 %
# mistake: root-mean-square-for-norm
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def clip(max_norm):
    def update(updates, state, params=None):
        flat = jnp.concatenate([u.ravel() for u in jax.tree.leaves(updates)])
        norm = jnp.sqrt(jnp.mean(flat**2))
        updates = jax.tree.map(lambda u: jnp.where(norm > max_norm, u * max_norm / norm, u), updates)
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
