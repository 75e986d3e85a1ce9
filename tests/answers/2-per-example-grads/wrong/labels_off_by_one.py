# classes counted from one
# loses: each-row-is-the-gradient-of-its-own-loss, norms-are-global-l2-norms, norms-count-every-leaf, norms-where-the-network-is-surely-right, norms-where-the-network-is-surely-wrong
# fair: 45-70 %
# mistake: labels-off-by-one
import jax
import jax.numpy as jnp

from mlp import forward


def loss_fn(params, image, label):
    return -jnp.sum(jax.nn.one_hot(label - 1, 10) * jax.nn.log_softmax(forward(params, image)))


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))

