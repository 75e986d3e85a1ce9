# the largest of the arrays' norms
# loses: norms-are-global-gradient-norms
# fair: 80-95 %
# mistake: norm-of-the-largest-array
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return optax.adam(learning_rate)
    return optax.chain(optax.clip_by_global_norm(max_norm), optax.adam(learning_rate))


def train(params, optimizer, batches):
    state, norms = optimizer.init(params), []
    for x, y in batches:
        grads = jax.grad(loss_fn)(params, x, y)
        norms.append(max(jnp.linalg.norm(g) for g in jax.tree.leaves(grads)))
        updates, state = optimizer.update(grads, state, params)
        params = optax.apply_updates(params, updates)
    return params, jnp.stack(norms)
