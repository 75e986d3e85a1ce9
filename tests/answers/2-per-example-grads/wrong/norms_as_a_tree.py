# one norm for each leaf, left in a tree
# loses: norms-are-one-number-an-example, norms-are-global-l2-norms
# fair: 65-90 %
# mistake: norms-of-each-leaf
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    grads = per_example_grads(params, x, y)
    return jax.tree.map(lambda g: jnp.linalg.norm(g.reshape(len(x), -1), axis=1), grads)
