# float(...) on a traced value inside the vmapped function
# loses: norms-are-one-number-an-example, norms-are-global-l2-norms, norms-count-every-leaf, norm-i-belongs-to-example-i-alone, norms-where-the-network-is-surely-right, norms-where-the-network-is-surely-wrong, norms-of-other-batch-sizes
# fair: 40-65 %
# mistake: needs-a-concrete-value
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
    def one(xi, yi):
        g = jax.grad(loss_fn)(params, xi, yi)
        return float(sum(float(jnp.sum(l ** 2)) for l in jax.tree.leaves(g))) ** 0.5
    return jax.vmap(one)(x, y)
