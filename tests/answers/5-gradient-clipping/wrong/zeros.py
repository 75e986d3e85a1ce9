# zeros for updates and norms
# loses: the-optimizer-is-pure, without-a-limit-it-is-plain-adam, the-learning-rate-is-used, defaults-are-those-of-the-contract, gradients-are-clipped-before-adam-sees-them, one-norm-over-all-leaves, other-limits, small-gradients-are-untouched, both-sides-of-the-limit, norms-are-global-gradient-norms, norms-are-taken-before-clipping-and-before-the-update, train-follows-the-optimizer-it-is-given, the-optimizer-state-is-carried-along, the-callers-arguments-survive
# fair: 0-15 %
# mistake: updates-are-zero, norms-are-zero, optimizer-not-used
import jax.numpy as jnp
import optax


def make_optimizer(learning_rate=1e-3, max_norm=None):
    return optax.set_to_zero()


def train(params, optimizer, batches):
    return params, jnp.zeros(len(batches))
