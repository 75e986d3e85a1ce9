# jnp.squeeze on the result: a batch of one loses its axis
# loses: gradients-of-other-batch-sizes, norms-of-other-batch-sizes
# fair: 80-95 %
# mistake: batch-of-one-loses-its-axis
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
    g = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)
    return jax.tree.map(jnp.squeeze, g)


def per_example_grad_norms(params, x, y):
    g = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)
    return jnp.squeeze(jnp.sqrt(sum((l.reshape(len(x), -1) ** 2).sum(1) for l in jax.tree.leaves(g))))
