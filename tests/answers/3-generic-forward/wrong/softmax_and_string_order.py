# two mistakes: names sorted as strings, and softmax at the end
# loses: three-layers-are-the-lessons-network, logits-come-as-they-are, layers-run-in-the-order-of-their-numbers, gradients-are-those-of-the-network
# fair: 50-75 %
# mistake: layer10-runs-before-layer2, returns-probabilities
import jax


def mlp_forward(params, x):
    *hidden, last = sorted(params)
    for name in hidden:
        x = jax.nn.relu(x @ params[name]["w"] + params[name]["b"])
    return jax.nn.softmax(x @ params[last]["w"] + params[last]["b"])
