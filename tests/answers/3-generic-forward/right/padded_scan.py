# lax.scan over layers padded to one width
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    layers = [params[f"layer{i}"] for i in range(1, len(params) + 1)]
    width = max(max(p["w"].shape) for p in layers)
    n_out = layers[-1]["b"].shape[0]
    pad = lambda a: jnp.pad(a, [(0, width - n) for n in a.shape])
    stacked = jax.tree.map(lambda *leaves: jnp.stack([pad(leaf) for leaf in leaves]), *layers)
    is_last = jnp.arange(len(layers)) == len(layers) - 1

    def step(h, layer):
        p, last = layer
        z = h @ p["w"] + p["b"]
        return jnp.where(last, z, jax.nn.relu(z)), None

    h = jnp.pad(x, [(0, 0), (0, width - x.shape[1])])
    h, _ = jax.lax.scan(step, h, (stacked, is_last))
    return h[:, :n_out]
