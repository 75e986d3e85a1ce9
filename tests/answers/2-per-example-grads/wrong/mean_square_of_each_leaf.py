# the mean of the squares of each leaf in place of their sum
# loses: norms-are-global-l2-norms, norms-count-every-leaf, norms-where-the-network-is-surely-wrong
# fair: 65-85 %
# mistake: root-mean-square
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.mean(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
