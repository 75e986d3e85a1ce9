# vmapped gradients, averaged; tree_map_with_path writes the squares down
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    adam = optax.adam(learning_rate)
    return adam if max_norm is None else optax.chain(optax.clip_by_global_norm(max_norm), adam)


def train(params, optimizer, batches):
    def loss_of_one(params, x, y):
        return loss_fn(params, x[None], y[None])

    @jax.jit
    def batch_gradient(params, x, y):
        each = jax.vmap(jax.grad(loss_of_one), in_axes=(None, 0, 0))(params, x, y)
        return jax.tree.map(lambda g: g.mean(axis=0), each)

    opt_state = optimizer.init(params)
    norms = []
    for x, y in batches:
        grads = batch_gradient(params, x, y)
        squares = {}

        def note(path, leaf):
            squares[jax.tree_util.keystr(path)] = jnp.sum(leaf**2)

        jax.tree_util.tree_map_with_path(note, grads)
        norms.append(jnp.sqrt(sum(squares.values())))
        updates, opt_state = optimizer.update(grads, opt_state, params)
        params = optax.apply_updates(params, updates)
    return params, jnp.stack(norms)
