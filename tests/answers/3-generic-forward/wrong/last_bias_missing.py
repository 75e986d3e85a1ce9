# the last layer has no bias
# loses: three-layers-are-the-lessons-network, the-bias-is-added-before-the-relu, gradients-are-those-of-the-network
# fair: 65-90 %
# mistake: some-biases-left-out
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth):
        x = jax.nn.relu(x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"])
    return x @ params[f"layer{depth}"]["w"]
