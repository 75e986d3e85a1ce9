# standardises the images with MNIST's mean and deviation
# loses: three-layers-are-the-lessons-network, every-hidden-layer-has-a-relu, gradients-are-those-of-the-network
# fair: 50-75 %
# mistake: changes-the-input-first
import jax

MEAN, STD = 0.1307, 0.3081


def mlp_forward(params, x):
    h = (x - MEAN) / STD
    depth = len(params)
    for i in range(1, depth + 1):
        h = h @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            h = jax.nn.relu(h)
    return h
