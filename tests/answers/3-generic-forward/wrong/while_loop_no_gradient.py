# lax.while_loop over padded layers, which cannot be differentiated backwards
# loses: gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 65-88 %
# mistake: cannot-be-differentiated
import jax
import jax.numpy as jnp
from jax import lax


def mlp_forward(params, x):
    layers = [params[f"layer{i}"] for i in range(1, len(params) + 1)]
    width = max(max(p["w"].shape) for p in layers)
    fit = lambda a: jnp.pad(a, [(0, width - n) for n in a.shape])
    w = jnp.stack([fit(p["w"]) for p in layers])
    b = jnp.stack([fit(p["b"]) for p in layers])

    def more(state):
        return state[0] < len(layers)

    def step(state):
        i, h = state
        z = h @ w[i] + b[i]
        return i + 1, jnp.where(i + 1 < len(layers), jax.nn.relu(z), z)

    _, h = lax.while_loop(more, step, (0, jnp.pad(x, [(0, 0), (0, width - x.shape[1])])))
    return h[:, : layers[-1]["b"].shape[0]]
