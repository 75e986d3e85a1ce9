# one label for all parameters; donation of the optimizer's state only
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    limit = jnp.inf if max_norm is None else max_norm
    every = optax.chain(optax.clip_by_global_norm(limit), optax.adam(learning_rate))
    return optax.multi_transform({"all": every}, lambda params: jax.tree.map(lambda _: "all", params))


def train(params, optimizer, batches):
    def step(params, state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, {"loss": loss, "norm": optax.tree.norm(grads)}

    step = jax.jit(step, donate_argnames="state")
    state, log = optimizer.init(params), []
    for x, y in batches:
        params, state, info = step(params, state, x, y)
        log.append(info)
    return params, jnp.array([info["norm"] for info in log])
