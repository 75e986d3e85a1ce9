# one averaged number instead of one a batch
# loses: norms-are-global-gradient-norms, norms-are-taken-before-clipping-and-before-the-update
# fair: 75-95 %
# mistake: one-number-for-all-batches
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
        norms.append(optax.global_norm(g))
        u, state = optimizer.update(g, state, params)
        params = optax.apply_updates(params, u)
    return params, jnp.mean(jnp.array(norms))
