# the learning rate follows a cosine to zero
# loses: without-a-limit-it-is-plain-adam
# fair: 75-95 %
# mistake: learning-rate-changes-with-time
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    adam = optax.adam(optax.cosine_decay_schedule(learning_rate, decay_steps=80))
    return adam if max_norm is None else optax.chain(optax.clip_by_global_norm(max_norm), adam)


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
