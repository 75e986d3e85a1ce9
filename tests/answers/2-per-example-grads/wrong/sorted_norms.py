# sorts the norms in descending order: positions lost
# loses: norms-are-global-l2-norms, norm-i-belongs-to-example-i-alone
# fair: 70-90 %
# mistake: norms-are-sorted
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
    g = per_example_grads(params, x, y)
    n = jnp.sqrt(sum(jnp.sum(l ** 2, axis=tuple(range(1, l.ndim))) for l in jax.tree.leaves(g)))
    return jnp.sort(n)[::-1]
