# NumPy noise on the images: other results at each call
# loses: per-example-grads-is-a-pure-function
# fair: 75-90 %
# mistake: other-results-at-each-call
import jax
import jax.numpy as jnp
import numpy as np

from mlp import loss_fn

rng = np.random.default_rng(0)


def per_example_grads(params, x, y):
    noisy = x + 1e-5 * rng.standard_normal(x.shape).astype(np.float32)
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, noisy, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))

