# tanh in place of the ReLU
# loses: each-row-is-the-gradient-of-its-own-loss, norms-are-global-l2-norms, norms-count-every-leaf, norms-where-the-network-is-surely-right
# fair: 50-80 %
# mistake: another-activation
import jax
import jax.numpy as jnp

from mlp import cross_entropy


def loss_fn(params, x, y):
    for name in ("layer1", "layer2"):
        x = jnp.tanh(x @ params[name]["w"] + params[name]["b"])
    return cross_entropy(x @ params["layer3"]["w"] + params["layer3"]["b"], y)


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))

