# cuts the gradient between layers
# loses: gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 65-90 %
# mistake: gradient-is-cut
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.lax.stop_gradient(jax.nn.relu(x))
    return x
