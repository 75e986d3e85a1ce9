# gradients of the biases left at zero
# loses: each-row-is-the-gradient-of-its-own-loss, norms-count-every-leaf
# fair: 65-85 %
# mistake: biases-left-out
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    grads = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)
    return {name: {"w": g["w"], "b": jnp.zeros_like(g["b"])} for name, g in grads.items()}


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
