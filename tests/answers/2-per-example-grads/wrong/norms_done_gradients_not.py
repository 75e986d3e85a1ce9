# norms right without the first function, which is never answered
# loses: per-example-grads-is-a-pure-function, gradients-have-the-structure-of-params, each-row-is-the-gradient-of-its-own-loss, row-i-belongs-to-example-i-alone, gradients-use-the-labels-given, gradients-of-other-batch-sizes
# fair: 30-50 %
# mistake: not-answered
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    raise NotImplementedError


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
