# backpropagation written by hand; norms from outer products, without the gradients
import jax
import jax.numpy as jnp


def _backward(params, x, y):
    one, two, three = params["layer1"], params["layer2"], params["layer3"]
    h1 = jnp.maximum(x @ one["w"] + one["b"], 0)
    h2 = jnp.maximum(h1 @ two["w"] + two["b"], 0)
    d3 = jax.nn.softmax(h2 @ three["w"] + three["b"]) - jax.nn.one_hot(y, 10)
    d2 = (d3 @ three["w"].T) * (h2 > 0)
    d1 = (d2 @ two["w"].T) * (h1 > 0)
    return {"layer1": (x, d1), "layer2": (h1, d2), "layer3": (h2, d3)}


def per_example_grads(params, x, y):
    return {
        name: {"w": h[:, :, None] * d[:, None, :], "b": d}
        for name, (h, d) in _backward(params, x, y).items()
    }


def per_example_grad_norms(params, x, y):
    pairs = _backward(params, x, y).values()
    return jnp.sqrt(sum(((h**2).sum(1) + 1) * (d**2).sum(1) for h, d in pairs))
