# takes x first and params second
# loses: everything
# fair: 0-25 %
# mistake: arguments-swapped
import jax


def mlp_forward(x, params):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x
