# a ReLU on the input
# loses: every-hidden-layer-has-a-relu
# fair: 70-90 %
# mistake: relu-on-the-input
import jax


def mlp_forward(params, x):
    depth = len(params)
    x = jax.nn.relu(x)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x
