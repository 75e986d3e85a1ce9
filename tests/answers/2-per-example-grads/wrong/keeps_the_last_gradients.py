# stores its result in a variable outside: a tracer under jit
# loses: per-example-grads-is-a-pure-function
# fair: 75-95 %
# mistake: changes-what-is-outside
import jax
import jax.numpy as jnp

from mlp import loss_fn


last = {}


def per_example_grads(params, x, y):
    last["grads"] = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)
    return last["grads"]


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
