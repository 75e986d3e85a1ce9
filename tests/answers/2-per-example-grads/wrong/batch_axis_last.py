# out_axes=-1: the batch axis comes last
# loses: gradients-have-the-structure-of-params
# fair: 75-95 %
# mistake: batch-axis-last
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0), out_axes=-1)(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(g.ndim - 1))) for g in leaves))
