# one step too many in the loop
# loses: everything
# fair: 0-25 %
# mistake: asks-for-a-layer-that-is-not-there
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 2):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x
