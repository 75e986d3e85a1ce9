# a Python if on a traced value in the function that vmap maps
# loses: norms-are-one-number-an-example, norms-are-global-l2-norms, norms-count-every-leaf, norm-i-belongs-to-example-i-alone, norms-where-the-network-is-surely-right, norms-where-the-network-is-surely-wrong, norms-of-other-batch-sizes
# fair: 45-65 %
# mistake: needs-a-concrete-value
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    def one(image, label):
        squares = sum(jnp.sum(g**2) for g in jax.tree.leaves(jax.grad(loss_fn)(params, image, label)))
        if squares == 0:
            return 0.0
        return jnp.sqrt(squares)

    return jax.vmap(one)(x, y)
