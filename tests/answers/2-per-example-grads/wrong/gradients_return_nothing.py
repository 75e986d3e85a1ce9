# gradients computed and not returned; norms on their own
# loses: per-example-grads-is-a-pure-function, gradients-have-the-structure-of-params, each-row-is-the-gradient-of-its-own-loss, row-i-belongs-to-example-i-alone, gradients-use-the-labels-given, gradients-of-other-batch-sizes
# fair: 35-60 %
# mistake: returns-nothing
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    grads = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    grads = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in jax.tree.leaves(grads)))
