# gradients finished in NumPy: they do not work under jit
# loses: per-example-grads-is-a-pure-function
# fair: 75-95 %
# mistake: cannot-be-traced
import jax
import jax.numpy as jnp
import numpy as np

from mlp import loss_fn


def per_example_grads(params, x, y):
    grads = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)
    return jax.tree.map(np.asarray, grads)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
