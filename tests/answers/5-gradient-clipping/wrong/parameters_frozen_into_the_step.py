# the compiled gradient keeps the parameters of its first call
# loses: train-follows-the-optimizer-it-is-given
# fair: 72-95 %
# mistake: gradients-at-the-first-parameters
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return optax.adam(learning_rate)
    return optax.chain(optax.clip_by_global_norm(max_norm), optax.adam(learning_rate))


def train(params, optimizer, batches):
    @jax.jit
    def gradient(x, y):
        return jax.grad(loss_fn)(params, x, y)

    state, norms = optimizer.init(params), []
    for x, y in batches:
        grads = gradient(x, y)
        norms.append(optax.tree.norm(grads))
        updates, state = optimizer.update(grads, state, params)
        params = optax.apply_updates(params, updates)
    return params, jnp.stack(norms)
