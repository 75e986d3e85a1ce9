# an axis of length one is left behind the batch axis
# loses: gradients-have-the-structure-of-params
# fair: 75-95 %
# mistake: axis-of-one-left
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    def losses_of_one(params, image, label):
        return loss_fn(params, image, label)[None]

    return jax.vmap(jax.jacrev(losses_of_one), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
