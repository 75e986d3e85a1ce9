# moments are kept in the object, not in the state
# loses: the-optimizer-is-pure, without-a-limit-it-is-plain-adam, gradients-are-clipped-before-adam-sees-them, one-norm-over-all-leaves, other-limits, both-sides-of-the-limit
# fair: 40-65 %
# mistake: changes-what-is-outside, every-step-is-a-first-step
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


class Adam:
    def __init__(self, learning_rate, max_norm):
        self.rate, self.limit, self.m, self.v, self.t = learning_rate, max_norm, 0.0, 0.0, 0

    def init(self, params):
        self.m = self.v = jax.tree.map(jnp.zeros_like, params)
        return ()

    def update(self, grads, state, params=None):
        if self.limit is not None:
            grads, _ = optax.clip_by_global_norm(self.limit).update(grads, optax.EmptyState())
        self.t += 1
        self.m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, self.m, grads)
        self.v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g**2, self.v, grads)
        mean, scale = 1 - 0.9**self.t, 1 - 0.999**self.t
        updates = jax.tree.map(
            lambda m, v: -self.rate * m / mean / (jnp.sqrt(v / scale) + 1e-8), self.m, self.v
        )
        return updates, state


def make_optimizer(learning_rate=1e-3, max_norm=None):
    return Adam(learning_rate, max_norm)


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
