# float(norm) in the update: fails under jit
# loses: the-optimizer-is-pure
# fair: 75-92 %
# mistake: cannot-be-traced
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def clip(max_norm):
    def update(updates, state, params=None):
        norm = float(optax.tree.norm(updates))
        updates = jax.tree.map(lambda u: u * min(1.0, max_norm / norm), updates)
        return updates, state

    return optax.GradientTransformation(lambda params: optax.EmptyState(), update)


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return optax.adam(learning_rate)
    return optax.chain(clip(max_norm), optax.adam(learning_rate))


def train(params, optimizer, batches):
    state, norms = optimizer.init(params), []
    for x, y in batches:
        grads = jax.grad(loss_fn)(params, x, y)
        norms.append(optax.tree.norm(grads))
        updates, state = optimizer.update(grads, state, params)
        params = optax.apply_updates(params, updates)
    return params, jnp.stack(norms)
