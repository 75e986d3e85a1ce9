# the mean of the norms of the six leaves
# loses: norms-are-global-l2-norms, norms-count-every-leaf
# fair: 60-85 %
# mistake: norms-of-leaves-added
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.mean(jnp.array([jnp.linalg.norm(g.reshape(len(x), -1), axis=1) for g in leaves]), 0)
