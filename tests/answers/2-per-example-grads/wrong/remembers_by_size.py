# gradients remembered by the size of the batch
# loses: per-example-grads-is-a-pure-function, row-i-belongs-to-example-i-alone, gradients-use-the-labels-given
# fair: 50-75 %
# mistake: changes-what-is-outside, remembers-an-earlier-batch
import jax
import jax.numpy as jnp

from mlp import loss_fn


known = {}


def per_example_grads(params, x, y):
    if len(x) not in known:
        known[len(x)] = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)
    return known[len(x)]


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
