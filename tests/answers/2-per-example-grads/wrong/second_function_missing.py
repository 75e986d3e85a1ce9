# the second function was deleted
# loses: norms-are-one-number-an-example, norms-are-global-l2-norms, norms-count-every-leaf, norm-i-belongs-to-example-i-alone, norms-where-the-network-is-surely-right, norms-where-the-network-is-surely-wrong, norms-of-other-batch-sizes
# fair: 50-70 %
# mistake: not-defined
import jax

from mlp import loss_fn


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)

