# each gradient raveled into one long vector
# loses: gradients-have-the-structure-of-params
# fair: 75-95 %
# mistake: gradients-are-flattened
import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree

from mlp import loss_fn


def per_example_grads(params, x, y):
    grads = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)
    return jax.vmap(lambda g: ravel_pytree(g)[0])(grads)


def per_example_grad_norms(params, x, y):
    return jnp.linalg.norm(per_example_grads(params, x, y), axis=1)
