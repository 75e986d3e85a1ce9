# centres the input first
# loses: three-layers-are-the-lessons-network, every-hidden-layer-has-a-relu, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 45-70 %
# mistake: changes-the-input-first
import jax


def mlp_forward(params, x):
    depth = len(params)
    x = x - x.mean(axis=0)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x
