# closures made in a loop: each sees the last layer
# loses: three-layers-are-the-lessons-network, the-depth-comes-from-params, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 20-45 %
# mistake: one-layer-in-place-of-others
import jax


def mlp_forward(params, x):
    steps = []
    for i in range(1, len(params) + 1):
        layer = params[f"layer{i}"]
        steps.append(lambda h: h @ layer["w"] + layer["b"])
    for step in steps[:-1]:
        x = jax.nn.relu(step(x))
    return steps[-1](x)
