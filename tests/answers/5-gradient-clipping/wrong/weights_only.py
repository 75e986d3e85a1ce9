# the biases are left out of the norm
# loses: norms-are-global-gradient-norms
# fair: 80-95 %
# mistake: biases-not-in-the-norm
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
    def step(params, state, x, y):
        grads = jax.grad(loss_fn)(params, x, y)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, optax.tree.norm([layer["w"] for layer in grads.values()])

    state, norms = optimizer.init(params), []
    for x, y in batches:
        params, state, norm = step(params, state, x, y)
        norms.append(norm)
    return params, jnp.stack(norms)
