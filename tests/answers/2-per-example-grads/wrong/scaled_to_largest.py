# norms divided by the largest of the batch
# loses: norms-are-global-l2-norms, norms-count-every-leaf, norm-i-belongs-to-example-i-alone, norms-where-the-network-is-surely-right, norms-where-the-network-is-surely-wrong
# fair: 60-85 %
# mistake: scaled-within-the-batch
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    norms = jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
    return norms / norms.max()
