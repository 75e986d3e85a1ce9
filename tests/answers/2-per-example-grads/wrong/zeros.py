# zeros of the right shapes
# loses: each-row-is-the-gradient-of-its-own-loss, row-i-belongs-to-example-i-alone, gradients-use-the-labels-given, norms-are-global-l2-norms, norms-count-every-leaf, norm-i-belongs-to-example-i-alone, norms-where-the-network-is-surely-right, norms-where-the-network-is-surely-wrong
# fair: 15-45 %
# mistake: gradients-are-zero
import jax
import jax.numpy as jnp


def per_example_grads(params, x, y):
    return jax.tree.map(lambda leaf: jnp.zeros((x.shape[0], *leaf.shape)), params)


def per_example_grad_norms(params, x, y):
    return jnp.zeros(x.shape[0])
