"""Model solution of 2-per-example-grads, extracted from its notebook: do not edit here.

``jaxercise reference`` writes this file.
"""

import jax
import jax.numpy as jnp
from mlp import loss_fn


def per_example_grads(params, x, y):
    """The gradient of each example's own loss.

    Args:
        params: {"layer1": {"w", "b"}, "layer2": ..., "layer3": ...}.
        x: images, (batch, 784).
        y: labels, (batch,).

    Returns:
        A pytree like params, each array with a leading axis of length batch.
    """
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    """The global L2 norm of each example's gradient, over all leaves together.

    Args:
        params, x, y: as in per_example_grads.

    Returns:
        One number an example, (batch,), in the order of the examples.
    """
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    squares = [jnp.sum(leaf**2, axis=tuple(range(1, leaf.ndim))) for leaf in leaves]
    return jnp.sqrt(sum(squares))
