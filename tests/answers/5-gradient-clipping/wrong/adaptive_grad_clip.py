# adaptive_grad_clip: relative to the norms of the parameters
# loses: gradients-are-clipped-before-adam-sees-them, one-norm-over-all-leaves, other-limits, small-gradients-are-untouched, both-sides-of-the-limit
# fair: 45-70 %
# mistake: limit-is-relative-to-the-weights
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
    return optax.chain(optax.adaptive_grad_clip(max_norm), optax.adam(learning_rate))


def train(params, optimizer, batches):
    opt_state = optimizer.init(params)

    @jax.jit
    def step(params, opt_state, x, y):
        grads = jax.grad(loss_fn)(params, x, y)
        norm = optax.global_norm(grads)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, norm

    norms = []
    for x, y in batches:
        params, opt_state, norm = step(params, opt_state, x, y)
        norms.append(norm)
    return params, jnp.array(norms)
