# vjp of the loss vector, pulled back along the rows of the identity with vmap
import jax
import jax.numpy as jnp


def forward(params, x):
    for name in ("layer1", "layer2"):
        x = jax.nn.relu(x @ params[name]["w"] + params[name]["b"])
    return x @ params["layer3"]["w"] + params["layer3"]["b"]


def loss_fn(params, x, y):
    logp = jax.nn.log_softmax(forward(params, x))
    return -(jax.nn.one_hot(y, 10) * logp).sum(axis=-1).mean()


def per_example_grads(params, x, y):
    vec = lambda p: jax.vmap(loss_fn, in_axes=(None, 0, 0))(p, x, y)
    out, pullback = jax.vjp(vec, params)
    (grads,) = jax.vmap(pullback)(jnp.eye(out.shape[0]))
    return grads


def per_example_grad_norms(params, x, y):
    g = per_example_grads(params, x, y)
    return jnp.sqrt(sum(jnp.sum(l ** 2, axis=tuple(range(1, l.ndim))) for l in jax.tree.leaves(g)))
