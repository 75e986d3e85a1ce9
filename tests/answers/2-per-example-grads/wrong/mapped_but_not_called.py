# returns the function that vmap makes and does not call it
# loses: per-example-grads-is-a-pure-function, gradients-have-the-structure-of-params, each-row-is-the-gradient-of-its-own-loss, row-i-belongs-to-example-i-alone, gradients-use-the-labels-given, gradients-of-other-batch-sizes
# fair: 35-60 %
# mistake: returns-a-function
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y)(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
