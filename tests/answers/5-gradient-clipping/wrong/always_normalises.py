# gradients below the limit are scaled up to it
# loses: gradients-are-clipped-before-adam-sees-them, one-norm-over-all-leaves, other-limits, small-gradients-are-untouched, both-sides-of-the-limit
# fair: 55-80 %
# mistake: small-gradients-are-scaled-up
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    def rescale(updates, params=None):
        norm = optax.tree.norm(updates)
        return jax.tree.map(lambda u: u * max_norm / (norm + 1e-12), updates)

    if max_norm is None:
        return optax.adam(learning_rate)
    return optax.chain(optax.stateless(rescale), optax.adam(learning_rate))


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
