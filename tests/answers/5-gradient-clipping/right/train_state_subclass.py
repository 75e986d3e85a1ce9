# a Flax TrainState that keeps the norms; the step is a jitted method
import jax
import jax.numpy as jnp
import optax
from flax.training import train_state
from mlp import loss_fn


def make_optimizer(learning_rate: float = 1e-3, max_norm: float | None = None) -> optax.GradientTransformation:
    """Adam, behind a clip where a limit is given."""
    links: list[optax.GradientTransformation] = []
    if max_norm is not None:
        links += [optax.clip_by_global_norm(float(max_norm))]
    links += [optax.scale_by_adam(b1=0.9, b2=0.999, eps=1e-8), optax.scale_by_learning_rate(learning_rate)]
    return optax.chain(*links)


class State(train_state.TrainState):
    norms: jax.Array

    @jax.jit
    def one_step(self, x, y):
        grads = jax.grad(self.apply_fn)(self.params, x, y)
        norms = self.norms.at[self.step].set(optax.tree.norm(grads))
        return self.apply_gradients(grads=grads, norms=norms)


def train(params, optimizer, batches):
    state = State.create(apply_fn=loss_fn, params=params, tx=optimizer, norms=jnp.zeros(len(batches)))
    for x, y in batches:
        state = state.one_step(x, y)
    return state.params, state.norms
