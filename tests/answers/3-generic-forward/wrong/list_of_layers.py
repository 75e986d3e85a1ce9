# expects a list of layers instead of a dict
# loses: everything
# fair: 0-25 %
# mistake: asks-for-a-layer-that-is-not-there
import jax


def mlp_forward(params, x):
    for i in range(len(params)):
        x = x @ params[i]["w"] + params[i]["b"]
        if i < len(params) - 1:
            x = jax.nn.relu(x)
    return x
