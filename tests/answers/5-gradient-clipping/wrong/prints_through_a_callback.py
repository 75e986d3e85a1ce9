# a debug callback is left in the chain
# loses: the-optimizer-is-pure
# fair: 85-95 %
# mistake: calls-back-into-python
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return optax.adam(learning_rate)

    def report(updates, params=None):
        jax.debug.callback(lambda norm: None, optax.tree.norm(updates))
        return updates

    return optax.chain(
        optax.stateless(report), optax.clip_by_global_norm(max_norm), optax.adam(learning_rate)
    )


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
