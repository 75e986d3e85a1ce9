# a ReLU after layers with even numbers only
# loses: three-layers-are-the-lessons-network, every-hidden-layer-has-a-relu, a-deep-network-learns-with-it
# fair: 50-75 %
# mistake: a-hidden-layer-has-no-relu
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i % 2 == 0 and i < depth:
            x = jax.nn.relu(x)
    return x
