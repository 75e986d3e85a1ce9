# gradient descent by hand; the optimizer's updates are not used
# loses: train-follows-the-optimizer-it-is-given, the-optimizer-state-is-carried-along
# fair: 70-90 %
# mistake: optimizer-not-used
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
        norms.append(optax.tree.norm(grads))
        updates, state = optimizer.update(grads, state, params)
        params = jax.tree.map(lambda p, g: p - 1e-3 * g, params, grads)
    return params, jnp.stack(norms)
