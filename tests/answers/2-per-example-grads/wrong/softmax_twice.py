# probabilities handed to a cross-entropy that takes logits
# loses: each-row-is-the-gradient-of-its-own-loss, norms-are-global-l2-norms, norms-count-every-leaf, norms-where-the-network-is-surely-wrong
# fair: 55-80 %
# mistake: softmax-twice
import jax
import jax.numpy as jnp
import optax

from mlp import forward


def loss_fn(params, image, label):
    p = jax.nn.softmax(forward(params, image))
    return optax.softmax_cross_entropy_with_integer_labels(p, label)


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))

