# no ReLU after the first layer
# loses: three-layers-are-the-lessons-network, every-hidden-layer-has-a-relu, a-deep-network-learns-with-it
# fair: 50-75 %
# mistake: a-hidden-layer-has-no-relu
import jax


def mlp_forward(params, x):
    depth = len(params)
    x = x @ params["layer1"]["w"] + params["layer1"]["b"]
    for i in range(2, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x
