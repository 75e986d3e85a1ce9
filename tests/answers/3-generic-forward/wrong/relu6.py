# relu6, which cuts at six as well
# loses: every-hidden-layer-has-a-relu, gradients-are-those-of-the-network
# fair: 65-90 %
# mistake: another-activation
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu6(x)
    return x
