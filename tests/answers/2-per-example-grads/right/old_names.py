# names from older code: jax.tree_util everywhere, jax.numpy's np-like spelling, axes as a list
import jax
import jax.numpy as np
from jax import grad, jit, vmap
from jax.tree_util import tree_flatten, tree_map


def predict(params, image):
    activations = image
    for name in ["layer1", "layer2"]:
        outputs = np.dot(activations, params[name]["w"]) + params[name]["b"]
        activations = np.maximum(0, outputs)
    logits = np.dot(activations, params["layer3"]["w"]) + params["layer3"]["b"]
    return logits - jax.scipy.special.logsumexp(logits)


def loss(params, image, target):
    return -np.sum(predict(params, image) * target)


@jit
def per_example_grads(params, x, y):
    targets = np.array(y[:, None] == np.arange(10), np.float32)
    return vmap(grad(loss), in_axes=[None, 0, 0])(params, x, targets)


@jit
def per_example_grad_norms(params, x, y):
    squared, _ = tree_flatten(tree_map(lambda g: g**2, per_example_grads(params, x, y)))
    return np.sqrt(np.sum(np.hstack([s.reshape(s.shape[0], -1) for s in squared]), 1))
