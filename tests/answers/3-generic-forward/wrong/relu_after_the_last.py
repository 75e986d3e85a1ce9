# a ReLU after the last layer too
# loses: three-layers-are-the-lessons-network, logits-come-as-they-are, a-deep-network-learns-with-it
# fair: 60-85 %
# mistake: relu-after-the-last-layer
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        x = jax.nn.relu(x)
    return x
