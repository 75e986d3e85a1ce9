# chunks of four; what is left over is dropped
# loses: gradients-of-other-batch-sizes, norms-of-other-batch-sizes
# fair: 75-95 %
# mistake: rows-are-missing
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    n = len(x) - len(x) % 4
    images, labels = x[:n].reshape(-1, 4, 784), y[:n].reshape(-1, 4)
    chunk = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))
    grads = jax.lax.map(lambda part: chunk(params, *part), (images, labels))
    return jax.tree.map(lambda g: g.reshape(n, *g.shape[2:]), grads)


def per_example_grad_norms(params, x, y):
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in leaves))

