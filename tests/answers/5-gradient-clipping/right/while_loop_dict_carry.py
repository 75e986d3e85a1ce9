# lax.while_loop with a dict as its carry; the norm by tree.reduce
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    adam = optax.adam(learning_rate)
    return adam if max_norm is None else optax.chain(optax.clip_by_global_norm(max_norm), adam)


@jax.jit
def square_sum(tree):
    return jax.tree.reduce(lambda total, leaf: total + jnp.sum(leaf * leaf), tree, 0.0)


def train(params, optimizer, batches):
    x_all, y_all = jax.tree.map(lambda *leaves: jnp.stack(leaves), *batches)
    n = x_all.shape[0]

    def go_on(carry):
        return carry["i"] < n

    def body(carry):
        i = carry["i"]
        grads = jax.grad(loss_fn)(carry["params"], x_all[i], y_all[i])
        updates, state = optimizer.update(grads, carry["state"], carry["params"])
        return {
            "i": i + 1,
            "params": optax.apply_updates(carry["params"], updates),
            "state": state,
            "norms": carry["norms"].at[i].set(jnp.sqrt(square_sum(grads))),
        }

    first = {"i": 0, "params": params, "state": optimizer.init(params), "norms": jnp.zeros((n,))}
    last = jax.lax.while_loop(go_on, body, first)
    return last["params"], last["norms"]
