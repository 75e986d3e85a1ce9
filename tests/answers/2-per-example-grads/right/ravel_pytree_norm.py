# flattens each gradient with ravel_pytree inside the vmapped function
import jax
import jax.numpy as jnp

from jax.flatten_util import ravel_pytree

def forward(params, x):
    for name in ("layer1", "layer2"):
        x = jax.nn.relu(x @ params[name]["w"] + params[name]["b"])
    return x @ params["layer3"]["w"] + params["layer3"]["b"]


def loss_fn(params, x, y):
    logp = jax.nn.log_softmax(forward(params, x))
    return -(jax.nn.one_hot(y, 10) * logp).sum(axis=-1).mean()


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    def one(xi, yi):
        flat, _ = ravel_pytree(jax.grad(loss_fn)(params, xi, yi))
        return jnp.linalg.norm(flat)
    return jax.vmap(one)(x, y)
