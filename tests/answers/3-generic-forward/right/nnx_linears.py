# flax nnx Linear modules that hold the given arrays
import jax
from flax import nnx


def linear(layer):
    n_in, n_out = layer["w"].shape
    module = nnx.Linear(n_in, n_out, rngs=nnx.Rngs(0))
    graph, state = nnx.split(module)
    state["kernel"].value = layer["w"]
    state["bias"].value = layer["b"]
    return nnx.merge(graph, state)


def mlp_forward(params, x):
    modules = [linear(params[f"layer{i}"]) for i in range(1, len(params) + 1)]
    for module in modules[:-1]:
        x = nnx.relu(module(x))
    return modules[-1](x)
