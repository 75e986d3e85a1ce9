# params put into a global variable for a loss of two arguments
# loses: per-example-grads-is-a-pure-function
# fair: 75-95 %
# mistake: changes-what-is-outside
import jax
import jax.numpy as jnp

from mlp import forward

current = {}


def loss(layers, image, label):
    current["params"] = layers
    return -jax.nn.log_softmax(forward(current["params"], image))[label]


def per_example_grads(params, x, y):
    current["params"] = params
    return jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))

