# takes a layer out of the caller's params and puts another in
# loses: per-example-grads-is-a-pure-function
# fair: 75-95 %
# mistake: changes-its-arguments
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    grads = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)
    params["layer1"] = jax.tree.map(lambda leaf: 0.99 * leaf, params["layer1"])
    return grads


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
