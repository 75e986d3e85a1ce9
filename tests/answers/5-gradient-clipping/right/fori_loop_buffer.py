# lax.fori_loop that writes norms into a buffer
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    adam = optax.adam(learning_rate)
    return adam if max_norm is None else optax.chain(optax.clip_by_global_norm(max_norm), adam)


def train(params, optimizer, batches):
    xs = jnp.stack([x for x, _ in batches])
    ys = jnp.stack([y for _, y in batches])

    def body(i, carry):
        params, state, norms = carry
        grads = jax.grad(loss_fn)(params, xs[i], ys[i])
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, norms.at[i].set(optax.tree.norm(grads))

    carry = (params, optimizer.init(params), jnp.zeros(len(batches)))
    params, _, norms = jax.lax.fori_loop(0, len(batches), body, carry)
    return params, norms
