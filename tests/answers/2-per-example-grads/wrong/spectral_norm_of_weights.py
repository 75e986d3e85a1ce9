# jnp.linalg.norm(w, 2): the spectral norm, right for weights of rank one; biases forgotten
# loses: norms-count-every-leaf
# fair: 80-95 %
# mistake: biases-left-out
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    grads = per_example_grads(params, x, y)
    per_layer = [jnp.linalg.norm(grads[k]["w"], ord=2, axis=(1, 2)) for k in sorted(grads)]
    return jnp.sqrt(sum(n**2 for n in per_layer))
