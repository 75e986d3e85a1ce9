# one step on all batches together
# loses: norms-are-global-gradient-norms, train-follows-the-optimizer-it-is-given, the-optimizer-state-is-carried-along
# fair: 62-85 %
# mistake: all-batches-at-once
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return optax.adam(learning_rate)
    return optax.chain(optax.clip_by_global_norm(max_norm), optax.adam(learning_rate))


def train(params, optimizer, batches):
    x = jnp.concatenate([x for x, _ in batches])
    y = jnp.concatenate([y for _, y in batches])
    grads = jax.grad(loss_fn)(params, x, y)
    updates, _ = optimizer.update(grads, optimizer.init(params), params)
    return optax.apply_updates(params, updates), jnp.full(len(batches), optax.tree.norm(grads))
