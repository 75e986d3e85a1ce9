# keeps the first layer's parameters out of the gradient
# loses: gradients-are-those-of-the-network
# fair: 70-95 %
# mistake: gradient-is-cut
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        layer = params[f"layer{i}"]
        if i == 1:
            layer = jax.lax.stop_gradient(layer)
        x = x @ layer["w"] + layer["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x
