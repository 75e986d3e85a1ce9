# argnums=1: gradients with respect to the images
# loses: gradients-have-the-structure-of-params, each-row-is-the-gradient-of-its-own-loss, norms-are-global-l2-norms, norms-count-every-leaf
# fair: 35-60 %
# mistake: gradient-for-the-images
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn, argnums=1), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
