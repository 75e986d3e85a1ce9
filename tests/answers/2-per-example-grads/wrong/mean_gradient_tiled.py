# the gradient of the batch, once for each example
# loses: each-row-is-the-gradient-of-its-own-loss, row-i-belongs-to-example-i-alone, norms-are-global-l2-norms, norms-count-every-leaf, norm-i-belongs-to-example-i-alone, norms-where-the-network-is-surely-right
# fair: 35-60 %
# mistake: gradient-of-the-whole-batch
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    grads = jax.grad(loss_fn)(params, x, y)
    return jax.tree.map(lambda g: jnp.repeat(g[None], len(x), axis=0), grads)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
