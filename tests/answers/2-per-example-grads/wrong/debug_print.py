# jax.debug.print left inside
# loses: per-example-grads-is-a-pure-function
# fair: 80-95 %
# mistake: calls-back-into-python
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    jax.debug.print("batch {n}", n=len(x))
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
