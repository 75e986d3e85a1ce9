# returns (B, 1)
# loses: norms-are-one-number-an-example
# fair: 88-100 %
# mistake: norms-in-a-column-or-row
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
    leaves = jax.tree.leaves(per_example_grads(params, x, y))
    flat = jnp.concatenate([l.reshape(len(x), -1) for l in leaves], axis=1)
    return jnp.linalg.norm(flat, axis=1, keepdims=True)
