# an L2 penalty added to each example's loss
# loses: each-row-is-the-gradient-of-its-own-loss, norms-count-every-leaf, norms-where-the-network-is-surely-right
# fair: 60-85 %
# mistake: weight-decay-in-the-loss
import jax
import jax.numpy as jnp

from mlp import loss_fn


def penalised(params, image, label):
    penalty = sum(jnp.sum(layer["w"] ** 2) for layer in params.values())
    return loss_fn(params, image, label) + 1e-2 * penalty


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(penalised), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))

