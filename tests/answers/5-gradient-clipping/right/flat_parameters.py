# everything on one flat vector: ravel_pytree, and the optimizer on that
import jax
import jax.numpy as jnp
import optax
from jax.flatten_util import ravel_pytree
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    links = {True: (), False: (optax.clip_by_global_norm(max_norm),)}[max_norm is None]
    return optax.chain(*links, optax.adam(learning_rate))


def train(params, optimizer, batches):
    flat, unravel = ravel_pytree(params)

    @jax.jit
    def step(flat, state, x, y):
        grad = jax.grad(lambda vector: loss_fn(unravel(vector), x, y))(flat)
        update, state = optimizer.update(grad, state, flat)
        return flat + update, state, jnp.linalg.norm(grad)

    state = optimizer.init(flat)
    norms = []
    for x, y in batches:
        flat, state, norm = step(flat, state, x, y)
        norms.append(norm)
    return unravel(flat), jnp.array(norms)
