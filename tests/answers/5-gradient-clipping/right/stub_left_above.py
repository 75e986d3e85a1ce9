# the stub is still there, the answers are partials defined below it
from functools import partial

import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    raise NotImplementedError


def _make(name, learning_rate=1e-3, max_norm=None):
    inner = getattr(optax, name)(learning_rate)
    clip = optax.clip_by_global_norm(max_norm) if max_norm else optax.identity()

    def update(grads, state, params=None, **extra):
        grads, clip_state = clip.update(grads, state[0], params)
        updates, inner_state = inner.update(grads, state[1], params)
        return updates, [clip_state, inner_state]

    return optax.GradientTransformationExtraArgs(lambda p: [clip.init(p), inner.init(p)], update)


make_optimizer = partial(_make, "adam")


def _train(loss, params, optimizer, batches):
    def step(carry, batch):
        params, state = carry
        grads = jax.grad(loss)(params, *batch)
        updates, state = optimizer.update(grads, state, params)
        return (optax.apply_updates(params, updates), state), jnp.sqrt(optax.tree.norm(grads, squared=True))

    step, carry, norms = jax.jit(step), (params, optimizer.init(params)), ()
    for batch in batches:
        carry, norm = step(carry, batch)
        norms += (norm,)
    return [carry[0], norms]


train = partial(_train, loss_fn)
