# the batch is shuffled first, as for training
# loses: each-row-is-the-gradient-of-its-own-loss, row-i-belongs-to-example-i-alone, norms-are-global-l2-norms, norm-i-belongs-to-example-i-alone
# fair: 55-80 %
# mistake: rows-in-another-order
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    order = jax.random.permutation(jax.random.key(0), len(x))
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x[order], y[order])


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))

