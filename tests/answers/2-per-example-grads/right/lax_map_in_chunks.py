# lax.map with a batch size, under jit, one argument more than asked for
from functools import partial

import jax
import jax.numpy as jnp

from mlp import loss_fn


@partial(jax.jit, static_argnames="chunk")
def per_example_grads(params, x, y, *, chunk=8):
    one = lambda example: jax.grad(loss_fn)(params, example[0], example[1])  # noqa: E731
    return jax.lax.map(one, (x, y), batch_size=chunk)


@partial(jax.jit, static_argnames="chunk")
def per_example_grad_norms(params, x, y, chunk=8):
    def one(example):
        leaves = jax.tree.leaves(jax.grad(loss_fn)(params, *example))
        return jnp.sqrt(sum(jnp.square(leaf).sum() for leaf in leaves))

    return jax.lax.map(one, (x, y), batch_size=chunk)
