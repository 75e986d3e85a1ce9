# only the last layer is trained
# loses: train-follows-the-optimizer-it-is-given, the-optimizer-state-is-carried-along
# fair: 70-92 %
# mistake: arrays-left-as-they-were
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
        params = {**params, "layer3": optax.apply_updates(params["layer3"], updates["layer3"])}
    return params, jnp.stack(norms)
