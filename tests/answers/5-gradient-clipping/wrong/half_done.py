# the optimizer is done, the loop is the stub
# loses: train-returns-params-and-norms, norms-are-global-gradient-norms, norms-are-taken-before-clipping-and-before-the-update, train-follows-the-optimizer-it-is-given, the-optimizer-state-is-carried-along, the-callers-arguments-survive
# fair: 55-70 %
# mistake: not-answered
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return optax.adam(learning_rate)
    return optax.chain(optax.clip_by_global_norm(max_norm), optax.adam(learning_rate))


def train(params, optimizer, batches):
    raise NotImplementedError
