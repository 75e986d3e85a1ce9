# back-propagation by hand, as a custom_vjp of the layer
import jax
import jax.numpy as jnp


@jax.custom_vjp
def affine(w, b, h):
    return h @ w + b


def forwards(w, b, h):
    return affine(w, b, h), (w, h)


def backwards(kept, g):
    w, h = kept
    return h.T @ g, g.sum(0), g @ w.T


affine.defvjp(forwards, backwards)


def mlp_forward(params, x):
    for i in range(1, len(params) + 1):
        if i > 1:
            x = jax.nn.relu(x)
        x = affine(params[f"layer{i}"]["w"], params[f"layer{i}"]["b"], x)
    return x
