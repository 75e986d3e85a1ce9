# takes the absolute value instead of cutting
# loses: three-layers-are-the-lessons-network, every-hidden-layer-has-a-relu, a-deep-network-learns-with-it
# fair: 50-75 %
# mistake: another-activation
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jnp.abs(x)
    return x
