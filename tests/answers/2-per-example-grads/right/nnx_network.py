# Flax NNX: the lesson's params put into an NNX network, its gradients renamed back
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.layer1 = nnx.Linear(784, 256, rngs=rngs)
        self.layer2 = nnx.Linear(256, 128, rngs=rngs)
        self.layer3 = nnx.Linear(128, 10, rngs=rngs)

    def __call__(self, x):
        x = nnx.relu(self.layer1(x))
        x = nnx.relu(self.layer2(x))
        return self.layer3(x)


def loss(params, image, label):
    net = Net(nnx.Rngs(0))
    for name in ("layer1", "layer2", "layer3"):
        layer = getattr(net, name)
        layer.kernel = nnx.Param(params[name]["w"])
        layer.bias = nnx.Param(params[name]["b"])
    logits = net(image[None])
    return optax.softmax_cross_entropy_with_integer_labels(logits, label[None]).mean()


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    grads = per_example_grads(params, x, y)
    return jax.vmap(lambda tree: jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(tree))))(grads)
