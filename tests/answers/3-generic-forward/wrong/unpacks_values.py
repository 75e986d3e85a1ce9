# unpacks w and b in the order of the dict
# loses: mlp-forward-is-a-pure-function, a-batch-of-one-keeps-its-axis, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 50-75 %
# mistake: cannot-be-differentiated, cannot-be-traced, w-and-b-by-position
import jax


def mlp_forward(params, x):
    for i in range(1, len(params) + 1):
        w, b = params[f"layer{i}"].values()
        x = x @ w + b
        x = jax.nn.relu(x) if i < len(params) else x
    return x
