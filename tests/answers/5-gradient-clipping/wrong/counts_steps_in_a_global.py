# update counts its calls in a global variable
# loses: the-optimizer-is-pure
# fair: 80-95 %
# mistake: changes-what-is-outside
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


COUNT = 0


def make_optimizer(learning_rate=1e-3, max_norm=None):
    adam = optax.adam(learning_rate)
    if max_norm is not None:
        adam = optax.chain(optax.clip_by_global_norm(max_norm), adam)

    def update(grads, state, params=None):
        global COUNT
        COUNT += 1
        return adam.update(grads, state, params)

    return optax.GradientTransformation(adam.init, update)


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
