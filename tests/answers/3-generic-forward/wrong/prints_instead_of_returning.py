# prints the logits instead of returning them
# loses: three-layers-are-the-lessons-network, the-depth-comes-from-params, logits-come-as-they-are, a-batch-of-one-keeps-its-axis, every-hidden-layer-has-a-relu, the-bias-is-added-before-the-relu, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 0-25 %
# mistake: returns-none
import jax


def mlp_forward(params, x):
    h = x
    for i in range(1, len(params) + 1):
        z = h @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        h = jax.nn.relu(z)
    print(z)
