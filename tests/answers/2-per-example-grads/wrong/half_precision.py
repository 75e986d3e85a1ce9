# casts to float16 before squaring: within 0.1% on ordinary norms, underflows to 0 for confident examples
# loses: norms-where-the-network-is-surely-right, norms-where-the-network-is-surely-wrong
# fair: 85-95 %
# mistake: half-precision
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
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    g = jax.tree.leaves(per_example_grads(params, x, y))
    return jnp.sqrt(sum((l.astype(jnp.float16) ** 2).reshape(len(x), -1).sum(1) for l in g))
