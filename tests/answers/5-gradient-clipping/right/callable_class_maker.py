# make_optimizer is an instance with __call__; adamw whose decay is zero
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


class OptimizerMaker:
    """Makes optimizers; remembers nothing."""

    def __call__(self, learning_rate=1e-3, max_norm=None):
        adam = optax.adamw(learning_rate, weight_decay=0.0)
        match max_norm:
            case None:
                return adam
            case limit:
                return optax.chain(optax.clip_by_global_norm(limit), adam)


make_optimizer = OptimizerMaker()


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
