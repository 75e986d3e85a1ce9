# rounds the logits, which cuts the gradient
# loses: gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 65-90 %
# mistake: gradient-is-cut
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return jnp.round(x, 5)
