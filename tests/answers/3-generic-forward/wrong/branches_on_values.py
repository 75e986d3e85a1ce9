# asks in Python whether anything is negative
# loses: mlp-forward-is-a-pure-function, a-deep-network-learns-with-it
# fair: 60-85 %
# mistake: cannot-be-traced
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth and (x < 0).any():
            x = jnp.maximum(x, 0)
    return x
