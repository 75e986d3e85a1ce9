# the compiled step has the first batch built in
# loses: norms-are-global-gradient-norms, train-follows-the-optimizer-it-is-given
# fair: 70-90 %
# mistake: only-the-first-batch
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
    batches = list(batches)
    x0, y0 = batches[0]
    state = optimizer.init(params)

    @jax.jit
    def step(p, s):
        g = jax.grad(loss_fn)(p, x0, y0)
        u, s = optimizer.update(g, s, p)
        return optax.apply_updates(p, u), s, optax.global_norm(g)

    norms = []
    for _ in batches:
        params, state, n = step(params, state)
        norms.append(n)
    return params, jnp.array(norms)
