# only the gradient with respect to the last bias, softmax minus one-hot
# loses: norms-are-global-l2-norms, norms-count-every-leaf, norms-where-the-network-is-surely-right, norms-where-the-network-is-surely-wrong
# fair: 60-85 %
# mistake: leaves-left-out
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    return jnp.linalg.norm(per_example_grads(params, x, y)["layer3"]["b"], axis=1)
