# Flax NNX: parameters as nnx.Param, stepped by nnx.Optimizer
import jax.numpy as jnp
import optax
from flax import nnx
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    tx = optax.adam(learning_rate)
    if max_norm is not None:
        tx = optax.chain(optax.clip_by_global_norm(max_norm), tx)
    return tx


class Net(nnx.Module):
    def __init__(self, params):
        for name, layer in params.items():
            setattr(self, name, nnx.Linear(*layer["w"].shape, rngs=nnx.Rngs(0)))
            getattr(self, name).kernel = nnx.Param(layer["w"])
            getattr(self, name).bias = nnx.Param(layer["b"])

    def params(self):
        return {
            name: {"w": getattr(self, name).kernel[...], "b": getattr(self, name).bias[...]}
            for name in ("layer1", "layer2", "layer3")
        }


def train(params, optimizer, batches):
    net = Net(params)
    stepper = nnx.Optimizer(net, optimizer, wrt=nnx.Param)

    @nnx.jit
    def step(net, stepper, x, y):
        grads = nnx.grad(lambda net: loss_fn(net.params(), x, y))(net)
        stepper.update(net, grads)
        return optax.tree.norm(grads)

    norms = [step(net, stepper, x, y) for x, y in batches]
    return net.params(), jnp.stack(norms)
