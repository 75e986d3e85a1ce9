# a lambda, with_extra_args_support, and a list of floats
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


make_optimizer = lambda learning_rate=1e-3, max_norm=None: optax.with_extra_args_support(  # noqa: E731
    optax.chain(
        *([optax.clip_by_global_norm(max_norm)] if max_norm is not None else []),
        optax.adam(learning_rate),
    )
)


def train(params, optimizer, batches):
    state, norms = optimizer.init(params), []
    for x, y in batches:
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        norms.append(float(jnp.sqrt(sum((g**2).sum() for g in jax.tree.leaves(grads)))))
        updates, state = optimizer.update(grads, state, params, value=loss)
        params = optax.apply_updates(params, updates)
    return params, norms
