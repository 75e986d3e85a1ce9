# starts at layer2, as range(1, depth) counts from one
# loses: three-layers-are-the-lessons-network, the-depth-comes-from-params, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 20-45 %
# mistake: first-layer-left-out
import jax


def mlp_forward(params, x):
    names = [f"layer{i + 1}" for i in range(len(params))]
    for i in range(1, len(names)):
        x = x @ params[names[i]]["w"] + params[names[i]]["b"]
        if i < len(names) - 1:
            x = jax.nn.relu(x)
    return x
