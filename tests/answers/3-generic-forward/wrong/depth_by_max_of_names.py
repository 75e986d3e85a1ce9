# depth from max(params), which is layer9 when there are eleven
# loses: layers-run-in-the-order-of-their-numbers
# fair: 70-92 %
# mistake: stops-before-the-last-layer
import jax


def mlp_forward(params, x):
    depth = int(max(params)[len("layer"):])
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x
