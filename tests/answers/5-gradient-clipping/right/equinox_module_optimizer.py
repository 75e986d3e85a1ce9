# the optimizer is an Equinox module; the step is an eqx.filter_jit
import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


class ClippedAdam(eqx.Module):
    inner: optax.GradientTransformation
    limit: float | None = eqx.field(static=True)

    def init(self, params):
        return self.inner.init(params)

    def update(self, grads, state, params=None):
        if self.limit is not None:
            squares = jax.tree.map(lambda g: jnp.sum(jnp.square(g)), grads)
            norm = jnp.sqrt(sum(jax.tree.leaves(squares)))
            grads = jax.tree.map(lambda g: g / jnp.maximum(1.0, norm / self.limit), grads)
        return self.inner.update(grads, state, params)


def make_optimizer(learning_rate=1e-3, max_norm=None):
    return ClippedAdam(optax.adam(learning_rate), max_norm)


def train(params, optimizer, batches):
    @eqx.filter_jit
    def step(params, state, x, y):
        grads = eqx.filter_grad(loss_fn)(params, x, y)
        updates, state = optimizer.update(grads, state, params)
        return eqx.apply_updates(params, updates), state, optax.tree.norm(grads)

    state, norms = optimizer.init(params), []
    for x, y in batches:
        params, state, norm = step(params, state, x, y)
        norms.append(norm)
    return params, jnp.stack(norms)
