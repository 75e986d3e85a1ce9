# Adam written by hand; the state begins as Python numbers and grows
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    def init(params):
        zeros = jax.tree.map(lambda p: 0.0, params)
        return {"m": zeros, "v": zeros, "t": 0}

    def update(grads, state, params=None):
        if max_norm is not None:
            total = sum(jnp.vdot(g, g) for g in jax.tree.leaves(grads))
            factor = jnp.minimum(1.0, max_norm / (jnp.sqrt(total) + 1e-6))
            grads = jax.tree.map(lambda g: g * factor, grads)
        t = state["t"] + 1
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state["m"], grads)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g**2, state["v"], grads)
        rate = learning_rate * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        updates = jax.tree.map(lambda m, v: -rate * m / (jnp.sqrt(v) + 1e-8), m, v)
        return updates, {"m": m, "v": v, "t": t}

    return optax.GradientTransformation(init, update)


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
