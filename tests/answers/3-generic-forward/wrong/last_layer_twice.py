# the last layer runs in the loop and again after it
# loses: three-layers-are-the-lessons-network, the-depth-comes-from-params, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 20-45 %
# mistake: last-layer-runs-twice
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x @ params[f"layer{depth}"]["w"] + params[f"layer{depth}"]["b"]
