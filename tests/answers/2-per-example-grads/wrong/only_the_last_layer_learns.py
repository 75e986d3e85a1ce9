# stop_gradient before the last layer
# loses: each-row-is-the-gradient-of-its-own-loss, norms-are-global-l2-norms, norms-count-every-leaf
# fair: 60-85 %
# mistake: leaves-left-out
import jax
import jax.numpy as jnp

from mlp import cross_entropy


def loss_fn(params, x, y):
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = jax.lax.stop_gradient(jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"]))
    return cross_entropy(h @ params["layer3"]["w"] + params["layer3"]["b"], y)


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))

