# GELU, as in newer networks
# loses: three-layers-are-the-lessons-network, every-hidden-layer-has-a-relu, gradients-are-those-of-the-network
# fair: 60-85 %
# mistake: another-activation
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.gelu(x, approximate=False)
    return x
