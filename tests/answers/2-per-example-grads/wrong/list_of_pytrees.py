# returns a Python list of B gradient pytrees, not one tree with a batch axis
# loses: gradients-have-the-structure-of-params
# fair: 75-95 %
# mistake: list-of-trees
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
    return [jax.grad(loss_fn)(params, x[i], y[i]) for i in range(len(x))]


def per_example_grad_norms(params, x, y):
    return jnp.array([jnp.sqrt(sum(jnp.vdot(l, l) for l in jax.tree.leaves(g)))
                      for g in per_example_grads(params, x, y)])
