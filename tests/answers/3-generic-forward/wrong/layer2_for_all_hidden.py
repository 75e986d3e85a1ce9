# the first layer by hand, then always layer2 until the last
# loses: the-depth-comes-from-params, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 30-55 %
# mistake: one-layer-in-place-of-others
import jax


def mlp_forward(params, x):
    n = len(params)
    if n > 1:
        x = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    for _ in range(2, n):
        x = jax.nn.relu(x @ params["layer2"]["w"] + params["layer2"]["b"])
    return x @ params[f"layer{n}"]["w"] + params[f"layer{n}"]["b"]
