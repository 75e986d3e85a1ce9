# params repeated for each example, and one ordinary gradient of the sum of losses
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    own = jax.tree.map(lambda p: jnp.broadcast_to(p, (len(x), *p.shape)), params)
    return jax.grad(lambda own: jax.vmap(loss_fn)(own, x, y).sum())(own)


def per_example_grad_norms(params, x, y):
    flat, _ = jax.tree.flatten(per_example_grads(params, x, y))
    rows = jnp.concatenate([jnp.reshape(leaf, (len(x), -1)) for leaf in flat], axis=-1)
    return jnp.linalg.norm(rows, ord=2, axis=-1)
