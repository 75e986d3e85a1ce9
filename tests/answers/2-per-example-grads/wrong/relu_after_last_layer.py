# a network of its own with a ReLU on the logits
# loses: each-row-is-the-gradient-of-its-own-loss, norms-are-global-l2-norms, norms-count-every-leaf
# fair: 55-80 %
# mistake: relu-after-the-last-layer
import jax
import jax.numpy as jnp


def loss_fn(params, image, label):
    h = image
    for name in ("layer1", "layer2", "layer3"):
        h = jax.nn.relu(h @ params[name]["w"] + params[name]["b"])
    return -jax.nn.log_softmax(h)[label]


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))
