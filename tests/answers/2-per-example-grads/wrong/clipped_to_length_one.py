# each gradient clipped to length one, as for private training
# loses: each-row-is-the-gradient-of-its-own-loss, norms-are-global-l2-norms, norms-count-every-leaf, norm-i-belongs-to-example-i-alone, norms-where-the-network-is-surely-wrong
# fair: 45-70 %
# mistake: rows-are-rescaled
import jax
import jax.numpy as jnp
import optax

from mlp import loss_fn


def clipped(params, image, label):
    grads = jax.grad(loss_fn)(params, image, label)
    length = optax.global_norm(grads)
    return jax.tree.map(lambda g: g / jnp.maximum(length, 1.0), grads)


def per_example_grads(params, x, y):
    return jax.vmap(clipped, in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))

