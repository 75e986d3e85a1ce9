# fori_loop over layers stacked and padded to one shape
import jax
import jax.numpy as jnp
from jax import lax


def mlp_forward(params, x):
    depth = len(params)
    sizes = [x.shape[1]] + [params[f"layer{i}"]["w"].shape[1] for i in range(1, depth + 1)]
    width = max(sizes)
    ws = jnp.stack(
        [
            jnp.zeros((width, width)).at[:m, :n].set(params[f"layer{i}"]["w"])
            for i, (m, n) in enumerate(zip(sizes, sizes[1:]), 1)
        ]
    )
    bs = jnp.stack(
        [jnp.zeros(width).at[:n].set(params[f"layer{i}"]["b"]) for i, n in enumerate(sizes[1:], 1)]
    )

    def body(i, h):
        z = h @ ws[i] + bs[i]
        return lax.cond(i < depth - 1, jax.nn.relu, lambda z: z, z)

    h = jnp.zeros((x.shape[0], width)).at[:, : sizes[0]].set(x)
    return lax.fori_loop(0, depth, body, h)[:, : sizes[-1]]
