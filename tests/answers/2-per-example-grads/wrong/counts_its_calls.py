# a counter outside is changed by every call
# loses: per-example-grads-is-a-pure-function
# fair: 80-95 %
# mistake: changes-what-is-outside
import jax
import jax.numpy as jnp

from mlp import loss_fn


calls = 0


def per_example_grads(params, x, y):
    global calls
    calls += 1
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
