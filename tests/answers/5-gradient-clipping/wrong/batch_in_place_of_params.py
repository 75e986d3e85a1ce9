# `update` gets the images in place of the parameters, which is not even the same kind of tree
# loses: train-follows-the-optimizer-it-is-given
# fair: 85-100 %
# mistake: params-not-handed-to-update
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    adam = optax.adam(learning_rate)
    if max_norm is None:
        return adam
    return optax.chain(optax.clip_by_global_norm(max_norm), adam)


def train(params, optimizer, batches):

    @jax.jit
    def step(params, state, x, y):
        grads = jax.grad(loss_fn)(params, x, y)
        updates, state = optimizer.update(grads, state, x)
        return optax.apply_updates(params, updates), state, optax.tree.norm(grads)

    state = optimizer.init(params)
    grad_norms = []
    for x, y in batches:
        params, state, norm = step(params, state, x, y)
        grad_norms.append(norm)
    return params, jnp.stack(grad_norms)
