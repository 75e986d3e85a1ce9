# exp of the logits over their sum: it overflows
# loses: norms-where-the-network-is-surely-wrong
# fair: 80-100 %
# mistake: unstable-cross-entropy
import jax
import jax.numpy as jnp

from mlp import forward


def loss_fn(params, image, label):
    e = jnp.exp(forward(params, image))
    return -jnp.log(e[label] / e.sum())


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))

