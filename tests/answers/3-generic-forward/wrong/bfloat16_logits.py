# returns bfloat16 logits
# loses: three-layers-are-the-lessons-network
# fair: 75-95 %
# mistake: loses-precision
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x.astype(jnp.bfloat16)
