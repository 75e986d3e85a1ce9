# instances of a class with __call__; the norms keep the gradient function as an attribute
import jax
import jax.numpy as jnp

from mlp import loss_fn


class PerExample:
    """The gradient of a loss of (params, x, y), one for each example."""

    def __init__(self, loss):
        self.loss = loss

    def one(self, params, image, label):
        return jax.grad(self.loss)(params, image, label)

    def __call__(self, params, x, y):
        return jax.vmap(self.one, in_axes=(None, 0, 0))(params, x, y)


class Norms:
    def __init__(self, gradients):
        self.gradients = gradients

    def __call__(self, params, x, y):
        squares = [
            jnp.square(leaf).sum(axis=range(1, leaf.ndim))
            for leaf in jax.tree.leaves(self.gradients(params, x, y))
        ]
        return jnp.sqrt(jnp.sum(jnp.array(squares), axis=0))


per_example_grads = PerExample(loss_fn)
per_example_grad_norms = Norms(per_example_grads)
