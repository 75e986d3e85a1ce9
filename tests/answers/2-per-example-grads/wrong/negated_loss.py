# forgets the minus sign: gradients negated, norms identical
# loses: each-row-is-the-gradient-of-its-own-loss
# fair: 70-90 %
# mistake: wrong-sign
import jax
import jax.numpy as jnp


def forward(params, x):
    for name in ("layer1", "layer2"):
        x = jax.nn.relu(x @ params[name]["w"] + params[name]["b"])
    return x @ params["layer3"]["w"] + params["layer3"]["b"]


def loss_fn(params, x, y):
    logp = jax.nn.log_softmax(forward(params, x))
    return -(jax.nn.one_hot(y, 10) * logp).sum(axis=-1).mean()


def loglik(params, x, y):
    return jnp.mean(jnp.sum(jax.nn.log_softmax(forward(params, x)) * jax.nn.one_hot(y, 10), axis=-1))


def per_example_grads(params, x, y):
    return jax.vmap(jax.grad(loglik), in_axes=(None, 0, 0))(params, x, y)


def per_example_grad_norms(params, x, y):
    g = per_example_grads(params, x, y)
    return jnp.sqrt(sum(jnp.sum(l ** 2, axis=tuple(range(1, l.ndim))) for l in jax.tree.leaves(g)))
