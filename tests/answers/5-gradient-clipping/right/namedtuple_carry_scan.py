# a NamedTuple carried by scan; gradients by vjp; norms by vdot
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    adam = optax.adam(learning_rate)
    return adam if max_norm is None else optax.chain(optax.clip_by_global_norm(max_norm), adam)


class Carry(NamedTuple):
    params: dict
    state: optax.OptState


def train(params, optimizer, batches):
    def step(carry: Carry, batch) -> tuple[Carry, jax.Array]:
        loss, pull_back = jax.vjp(lambda p: loss_fn(p, *batch), carry.params)
        (grads,) = pull_back(jnp.ones_like(loss))
        updates, state = optimizer.update(grads, carry.state, carry.params)
        new = Carry(optax.apply_updates(carry.params, updates), state)
        return new, jnp.sqrt(sum(jnp.vdot(g, g) for g in jax.tree.leaves(grads)))

    stacked = jax.tree.map(lambda *a: jnp.stack(a), *[tuple(b) for b in batches])
    last, norms = jax.lax.scan(step, Carry(params, optimizer.init(params)), stacked, unroll=2)
    return last.params, norms
