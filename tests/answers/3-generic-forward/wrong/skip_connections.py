# adds each layer's input where the widths allow it
# loses: every-hidden-layer-has-a-relu, the-bias-is-added-before-the-relu
# fair: 55-80 %
# mistake: skip-connections
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        z = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            z = jax.nn.relu(z)
        x = x + z if x.shape == z.shape and i < depth else z
    return x
