# a beginner's loop: a dict of lists, appended to and made arrays in the end
import jax
import jax.numpy as jnp

from mlp import loss_fn


def per_example_grads(params, x, y):
    result = {}
    for layer in params.keys():
        result[layer] = {"w": [], "b": []}
    for i in range(len(x)):
        g = jax.grad(loss_fn)(params, x[i : i + 1], y[i : i + 1])
        for layer in g:
            result[layer]["w"].append(g[layer]["w"])
            result[layer]["b"].append(g[layer]["b"])
    for layer in result:
        result[layer]["w"] = jnp.array(result[layer]["w"])
        result[layer]["b"] = jnp.array(result[layer]["b"])
    return result


def per_example_grad_norms(params, x, y):
    g = per_example_grads(params, x, y)
    norms = []
    for i in range(len(x)):
        s = 0
        for layer in g:
            s += (g[layer]["w"][i] ** 2).sum()
            s += (g[layer]["b"][i] ** 2).sum()
        norms.append(s**0.5)
    return jnp.array(norms)
