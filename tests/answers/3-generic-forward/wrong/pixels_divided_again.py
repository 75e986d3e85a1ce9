# divides the images by 255 once more
# loses: three-layers-are-the-lessons-network, every-hidden-layer-has-a-relu, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 50-75 %
# mistake: changes-the-input-first
import jax


def mlp_forward(params, x):
    x = x / 255.0
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x
