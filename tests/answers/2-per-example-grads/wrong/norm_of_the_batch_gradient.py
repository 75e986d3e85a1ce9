# right gradients; the norm of their mean, once for each example
# loses: norms-are-global-l2-norms, norms-count-every-leaf, norm-i-belongs-to-example-i-alone, norms-where-the-network-is-surely-right
# fair: 55-75 %
# mistake: gradient-of-the-whole-batch
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    mean = jax.tree.map(lambda g: g.mean(axis=0), per_example_grads(params, x, y))
    length = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(mean)))
    return jnp.full(len(x), length)
