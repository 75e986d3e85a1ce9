# norms of the arrays are added up
# loses: norms-are-global-gradient-norms
# fair: 75-95 %
# mistake: norms-of-arrays-are-added
import jax
import jax.numpy as jnp
import optax


def forward(params, x):
    for name in ("layer1", "layer2"):
        x = jax.nn.relu(x @ params[name]["w"] + params[name]["b"])
    return x @ params["layer3"]["w"] + params["layer3"]["b"]


def loss_fn(params, x, y):
    logp = jax.nn.log_softmax(forward(params, x))
    return -(jax.nn.one_hot(y, 10) * logp).sum(axis=-1).mean()


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return optax.adam(learning_rate)
    return optax.chain(optax.clip_by_global_norm(max_norm), optax.adam(learning_rate))


def train(params, optimizer, batches):
    state = optimizer.init(params)
    norms = []
    for x, y in batches:
        g = jax.grad(loss_fn)(params, x, y)
        norms.append(sum(jnp.linalg.norm(l) for l in jax.tree.leaves(g)))
        u, state = optimizer.update(g, state, params)
        params = optax.apply_updates(params, u)
    return params, jnp.array(norms)
