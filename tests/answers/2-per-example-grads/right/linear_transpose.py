# linearised losses, transposed, and applied to each unit vector
import jax
import jax.numpy as jnp

from mlp import forward


def losses(params, x, y):
    logits = forward(params, x)
    true = jnp.take_along_axis(logits, y[:, None], axis=1)[:, 0]
    return jax.scipy.special.logsumexp(logits, axis=1) - true


def per_example_grads(params, x, y):
    values, tangent = jax.linearize(lambda p: losses(p, x, y), params)
    back = jax.linear_transpose(tangent, params)
    return jax.vmap(lambda unit: back(unit)[0])(jnp.eye(len(values)))


def per_example_grad_norms(params, x, y):
    grads = jax.jacrev(losses)(params, x, y)
    return jnp.sqrt(jax.tree_util.tree_reduce(jnp.add, jax.tree.map(squared_rows, grads)))


def squared_rows(g):
    return jnp.sum(g * g, axis=tuple(range(1, g.ndim)))
