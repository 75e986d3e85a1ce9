# a jitted step with the optimizer as a static argument
import jax
import jax.numpy as jnp
import optax

from functools import partial

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


@partial(jax.jit, static_argnames="optimizer")
def train_step(params, opt_state, x, y, *, optimizer):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    updates, opt_state = optimizer.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss, optax.global_norm(grads)


def train(params, optimizer, batches):
    opt_state, norms = optimizer.init(params), []
    for batch in batches:
        params, opt_state, loss, norm = train_step(params, opt_state, *batch, optimizer=optimizer)
        norms.append(norm)
    return params, jnp.asarray(norms)
