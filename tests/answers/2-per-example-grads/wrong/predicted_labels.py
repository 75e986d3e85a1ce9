# uses argmax predictions instead of y (no label information)
# loses: each-row-is-the-gradient-of-its-own-loss, gradients-use-the-labels-given, norms-are-global-l2-norms, norms-count-every-leaf, norms-where-the-network-is-surely-wrong
# fair: 35-60 %
# mistake: predicted-labels
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
    guess = jnp.argmax(forward(params, x), axis=-1)
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, guess)


def per_example_grad_norms(params, x, y):
    g = per_example_grads(params, x, y)
    return jnp.sqrt(sum(jnp.sum(l ** 2, axis=tuple(range(1, l.ndim))) for l in jax.tree.leaves(g)))
