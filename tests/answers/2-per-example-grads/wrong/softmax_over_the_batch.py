# log_softmax over axis 0, which is the batch of one: the loss is always 0
# loses: each-row-is-the-gradient-of-its-own-loss, row-i-belongs-to-example-i-alone, gradients-use-the-labels-given, norms-are-global-l2-norms, norms-count-every-leaf, norm-i-belongs-to-example-i-alone, norms-where-the-network-is-surely-right, norms-where-the-network-is-surely-wrong
# fair: 30-55 %
# mistake: gradients-are-zero
import jax
import jax.numpy as jnp

from mlp import forward


def loss_fn(params, x, y):
    log_p = jax.nn.log_softmax(forward(params, x), axis=0)
    return -(jax.nn.one_hot(y, 10) * log_p).sum(axis=1).mean()


def per_example_grads(params, x, y):
    one = lambda image, label: jax.grad(loss_fn)(params, image[None], label[None])  # noqa: E731
    return jax.vmap(one)(x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
