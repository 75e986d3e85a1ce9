# update returns the state that it was given
# loses: without-a-limit-it-is-plain-adam, gradients-are-clipped-before-adam-sees-them, one-norm-over-all-leaves, other-limits, both-sides-of-the-limit
# fair: 45-70 %
# mistake: every-step-is-a-first-step
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def adam(learning_rate):
    def init(params):
        zeros = jax.tree.map(jnp.zeros_like, params)
        return {"m": zeros, "v": zeros, "t": jnp.zeros((), jnp.int32)}

    def update(grads, state, params=None):
        t = state["t"] + 1
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state["m"], grads)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g**2, state["v"], grads)
        updates = jax.tree.map(
            lambda m, v: -learning_rate * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8), m, v
        )
        return updates, state

    return optax.GradientTransformation(init, update)


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return adam(learning_rate)
    return optax.chain(optax.clip_by_global_norm(max_norm), adam(learning_rate))


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
