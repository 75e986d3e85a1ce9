# the updated arrays are written into the caller's dict
# loses: the-callers-arguments-survive
# fair: 85-97 %
# mistake: changes-its-arguments
import jax
import jax.numpy as jnp
import optax
from mlp import loss_fn


def make_optimizer(learning_rate=1e-3, max_norm=None):
    if max_norm is None:
        return optax.adam(learning_rate)
    return optax.chain(optax.clip_by_global_norm(max_norm), optax.adam(learning_rate))


def train(params, optimizer, batches):
    state, norms = optimizer.init(params), []
    for x, y in batches:
        grads = jax.grad(loss_fn)(params, x, y)
        norms.append(optax.tree.norm(grads))
        updates, state = optimizer.update(grads, state, params)
        for name, layer in params.items():
            for part in layer:
                layer[part] = layer[part] + updates[name][part]
    return params, jnp.stack(norms)
