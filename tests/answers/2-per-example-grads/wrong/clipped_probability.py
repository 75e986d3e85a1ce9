# the logarithm of a probability plus 1e-8: no gradient where the network is surely wrong
# loses: norms-where-the-network-is-surely-wrong
# fair: 85-100 %
# mistake: unstable-cross-entropy
import jax
import jax.numpy as jnp

from mlp import forward


def loss_fn(params, image, label):
    return -jnp.log(jax.nn.softmax(forward(params, image))[label] + 1e-8)


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))

