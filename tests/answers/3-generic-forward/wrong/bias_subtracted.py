# subtracts the bias, as a threshold
# loses: three-layers-are-the-lessons-network, the-bias-is-added-before-the-relu, gradients-are-those-of-the-network
# fair: 55-80 %
# mistake: bias-subtracted
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] - params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x
