# the norm of the first layer's gradient
# loses: norms-are-global-l2-norms, norms-count-every-leaf
# fair: 60-85 %
# mistake: leaves-left-out
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    first = per_example_grads(params, x, y)["layer1"]
    return jnp.sqrt(jnp.sum(first["w"] ** 2, axis=(1, 2)) + jnp.sum(first["b"] ** 2, axis=1))
