# optax.global_norm under vmap (it warns that it is deprecated)
import jax
import optax

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


per_example_grad_norms = lambda params, x, y: jax.vmap(optax.global_norm)(  # noqa: E731
    per_example_grads(params, x, y)
)
