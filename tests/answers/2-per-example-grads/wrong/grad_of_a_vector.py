# grad of the vector of losses, without vmap
# loses: everything
# fair: 0-25 %
# mistake: grad-of-a-vector
import jax
import jax.numpy as jnp

from mlp import forward


def losses(params, x, y):
    return -jnp.take_along_axis(jax.nn.log_softmax(forward(params, x)), y[:, None], axis=1)[:, 0]


def per_example_grads(params, x, y):
    return jax.grad(losses)(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))

