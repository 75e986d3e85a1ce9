# one bias of three forgotten in the norms
# loses: norms-count-every-leaf
# fair: 80-95 %
# mistake: leaves-left-out
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    kept = [leaf for leaf in leaves if leaf.shape[1:] != (10,)]
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in kept))
