# the mean over the batch subtracted from each gradient
# loses: each-row-is-the-gradient-of-its-own-loss, row-i-belongs-to-example-i-alone, norms-are-global-l2-norms, norms-count-every-leaf, norm-i-belongs-to-example-i-alone
# fair: 40-65 %
# mistake: batch-mean-subtracted
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    grads = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)
    return jax.tree.map(lambda g: g - g.mean(axis=0), grads)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))

