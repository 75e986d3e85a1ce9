# a link in front of the given optimizer records norms in its state
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    adam = optax.adam(learning_rate)
    return adam if max_norm is None else optax.chain(optax.clip_by_global_norm(max_norm), adam)


def recorder(n):
    """A transformation that passes gradients on and writes down their norms."""

    def init(params):
        return {"i": jnp.zeros((), jnp.int32), "norms": jnp.zeros(n)}

    def update(updates, state, params=None):
        norms = state["norms"].at[state["i"]].set(optax.tree.norm(updates))
        return updates, {"i": state["i"] + 1, "norms": norms}

    return optax.GradientTransformation(init, update)


def train(params, optimizer, batches):
    watched = optax.named_chain(("record", recorder(len(batches))), ("steps", optimizer))

    @jax.jit
    def step(params, state, batch):
        updates, state = watched.update(jax.grad(loss_fn)(params, *batch), state, params)
        return optax.apply_updates(params, updates), state

    state = watched.init(params)
    for batch in batches:
        params, state = step(params, state, batch)
    return params, state["record"]["norms"]
