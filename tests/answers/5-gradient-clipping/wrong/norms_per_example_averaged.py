# the mean of the norms of single examples
# loses: norms-are-global-gradient-norms
# fair: 75-95 %
# mistake: norms-of-single-examples-are-averaged
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
        norms.append(jnp.mean(jax.vmap(lambda a, b: optax.tree.norm(jax.grad(loss_fn)(params, a[None], b[None])))(x, y)))
        updates, state = optimizer.update(grads, state, params)
        params = optax.apply_updates(params, updates)
    return params, jnp.stack(norms)
