# Adam by hand with a flax.struct state; clipping by jnp.where
import jax
import jax.numpy as jnp
import optax
from flax import struct
from mlp import loss_fn


@struct.dataclass
class State:
    mean: dict
    square: dict
    count: jax.Array


def clip(grads, limit):
    norm = jnp.sqrt(sum(jnp.einsum("i,i->", g.ravel(), g.ravel()) for g in jax.tree.leaves(grads)))
    factor = jnp.where(norm > limit, limit / norm, 1.0)
    return jax.tree.map(lambda g: factor * g, grads)


def make_optimizer(learning_rate=1e-3, max_norm=None, b1=0.9, b2=0.999, eps=1e-8):
    def init(params):
        zeros = jax.tree.map(jnp.zeros_like, params)
        return State(zeros, zeros, jnp.zeros((), jnp.int32))

    def update(grads, state, params=None):
        if max_norm is not None:
            grads = clip(grads, max_norm)
        count = state.count + 1
        mean = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, state.mean, grads)
        square = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g * g, state.square, grads)
        m_hat = jax.tree.map(lambda m: m / (1 - b1**count), mean)
        v_hat = jax.tree.map(lambda v: v / (1 - b2**count), square)
        updates = jax.tree.map(lambda m, v: -learning_rate * m / (jnp.sqrt(v) + eps), m_hat, v_hat)
        return updates, state.replace(mean=mean, square=square, count=count)

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
