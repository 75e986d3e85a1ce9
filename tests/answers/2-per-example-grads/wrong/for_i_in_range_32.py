# a loop over range(32)
# loses: gradients-of-other-batch-sizes, norms-of-other-batch-sizes
# fair: 75-95 %
# mistake: one-batch-size-only
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    rows = [jax.grad(loss_fn)(params, x[i], y[i]) for i in range(32)]
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *rows)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
