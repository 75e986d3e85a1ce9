# clips well; Adam by hand without bias correction
# loses: without-a-limit-it-is-plain-adam
# fair: 80-95 %
# mistake: no-bias-correction
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def slow_adam(learning_rate):
    def init(params):
        zeros = jax.tree.map(jnp.zeros_like, params)
        return zeros, zeros

    def update(grads, state, params=None):
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state[0], grads)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g**2, state[1], grads)
        return jax.tree.map(lambda m, v: -learning_rate * m / (jnp.sqrt(v) + 1e-8), m, v), (m, v)

    return optax.GradientTransformation(init, update)


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return slow_adam(learning_rate)
    return optax.chain(optax.clip_by_global_norm(max_norm), slow_adam(learning_rate))


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
