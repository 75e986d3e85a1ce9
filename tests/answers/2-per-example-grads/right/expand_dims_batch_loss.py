# keeps the batch loss and feeds batches of one: x[None], y[None] inside vmap
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
    xb, yb = x[:, None], y[:, None]
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, xb, yb)


def per_example_grad_norms(params, x, y):
    grads = per_example_grads(params, x, y)
    n = x.shape[0]
    sq = [jnp.sum(jnp.square(leaf).reshape(n, -1), axis=1) for leaf in jax.tree.leaves(grads)]
    return jnp.sqrt(jnp.stack(sq).sum(axis=0))
