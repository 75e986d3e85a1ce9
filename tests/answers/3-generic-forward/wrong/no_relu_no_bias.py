# two mistakes: neither biases nor ReLUs
# loses: three-layers-are-the-lessons-network, every-hidden-layer-has-a-relu, the-bias-is-added-before-the-relu, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 30-55 %
# mistake: biases-left-out, no-activation
import jax


def mlp_forward(params, x):
    for i in range(1, len(params) + 1):
        x = x @ params[f"layer{i}"]["w"]
    return x
