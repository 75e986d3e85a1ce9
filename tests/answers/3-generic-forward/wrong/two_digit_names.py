# expects names with two digits from ten layers on
# loses: layers-run-in-the-order-of-their-numbers
# fair: 70-92 %
# mistake: asks-for-a-layer-that-is-not-there
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        name = f"layer{i:02d}" if depth > 9 else f"layer{i}"
        x = x @ params[name]["w"] + params[name]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x
