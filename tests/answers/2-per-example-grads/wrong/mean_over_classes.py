# the mean over ten classes in the loss of an example, in place of the sum
# loses: each-row-is-the-gradient-of-its-own-loss, norms-are-global-l2-norms, norms-count-every-leaf
# fair: 60-80 %
# mistake: divided-by-the-number-of-classes
import jax
import jax.numpy as jnp

from mlp import forward


def loss_fn(params, x, y):
    return -(jax.nn.one_hot(y, 10) * jax.nn.log_softmax(forward(params, x))).mean()


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))

