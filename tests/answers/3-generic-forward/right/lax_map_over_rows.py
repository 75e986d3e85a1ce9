# maps over the rows one by one
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    """Logits, row by row."""

    def one(row):
        depth = max(int(name[5:]) for name in params)
        for i in range(1, depth + 1):
            row = row @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
            if i < depth:
                row = jnp.maximum(row, 0)
        return row

    return jax.lax.map(one, x, batch_size=16)
