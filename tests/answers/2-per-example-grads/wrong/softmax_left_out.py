# the loss is minus the logit of the true class: no softmax
# loses: each-row-is-the-gradient-of-its-own-loss, norms-are-global-l2-norms, norms-count-every-leaf, norms-where-the-network-is-surely-right
# fair: 50-75 %
# mistake: softmax-left-out
import jax
import jax.numpy as jnp

from mlp import forward


def loss_fn(params, image, label):
    return -forward(params, image)[label]


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))

