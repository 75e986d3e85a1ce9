# the labels of the notebook's 32 digits, whatever y says
# loses: each-row-is-the-gradient-of-its-own-loss, gradients-use-the-labels-given, norms-are-global-l2-norms, norms-count-every-leaf, norms-where-the-network-is-surely-right, norms-where-the-network-is-surely-wrong
# fair: 35-60 %
# mistake: labels-ignored
import jax
import jax.numpy as jnp

from mlp import load_mnist, loss_fn

digits = load_mnist()
y32 = digits.y_valid[:32]


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y32[: len(x)])


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))

