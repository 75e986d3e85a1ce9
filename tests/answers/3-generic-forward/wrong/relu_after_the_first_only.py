# a ReLU after the first layer only
# loses: three-layers-are-the-lessons-network, every-hidden-layer-has-a-relu, a-deep-network-learns-with-it
# fair: 50-75 %
# mistake: a-hidden-layer-has-no-relu
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i == 1 and depth > 1:
            x = jax.nn.relu(x)
    return x
