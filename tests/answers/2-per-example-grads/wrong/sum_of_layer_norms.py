# adds the leaf norms instead of the squares: an upper bound, same ranking most of the time
# loses: norms-are-global-l2-norms, norms-count-every-leaf
# fair: 65-85 %
# mistake: norms-of-leaves-added
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
    return sum(jnp.linalg.norm(l.reshape(l.shape[0], -1), axis=1) for l in jax.tree.leaves(g))
