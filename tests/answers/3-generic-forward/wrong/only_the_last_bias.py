# adds a bias to the last layer only
# loses: three-layers-are-the-lessons-network, the-bias-is-added-before-the-relu, gradients-are-those-of-the-network
# fair: 55-80 %
# mistake: some-biases-left-out
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth):
        x = jax.nn.relu(x @ params[f"layer{i}"]["w"])
    return x @ params[f"layer{depth}"]["w"] + params[f"layer{depth}"]["b"]
