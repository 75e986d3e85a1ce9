# sums of absolute values
# loses: norms-are-global-l2-norms, norms-count-every-leaf
# fair: 65-85 %
# mistake: l1-norms
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return sum(jnp.abs(g).sum(axis=tuple(range(1, g.ndim))) for g in leaves)
