# largest absolute entry (inf norm)
# loses: norms-are-global-l2-norms, norms-count-every-leaf
# fair: 65-85 %
# mistake: largest-entry
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
    return jnp.stack([jnp.abs(l).reshape(len(x), -1).max(axis=1) for l in leaves]).max(axis=0)
