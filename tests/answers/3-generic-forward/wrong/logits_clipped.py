# clips the logits to [-20, 20], against overflow
# loses: logits-come-as-they-are
# fair: 70-95 %
# mistake: cuts-large-logits
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return jnp.clip(x, -20, 20)
