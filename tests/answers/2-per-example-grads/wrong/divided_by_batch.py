# per-example loss already divided by B (mean-loss gradients): every norm 1/B too small, ranking unchanged
# loses: each-row-is-the-gradient-of-its-own-loss, norms-are-global-l2-norms, norms-count-every-leaf
# fair: 60-80 %
# mistake: divided-by-the-batch-size
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
    scaled = lambda p, xi, yi: loss_fn(p, xi, yi) / x.shape[0]
    return jax.vmap(jax.grad(scaled), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    g = per_example_grads(params, x, y)
    return jnp.sqrt(sum(jnp.sum(l ** 2, axis=tuple(range(1, l.ndim))) for l in jax.tree.leaves(g)))
