# computes the logits and does not return them
# loses: three-layers-are-the-lessons-network, the-depth-comes-from-params, logits-come-as-they-are, a-batch-of-one-keeps-its-axis, every-hidden-layer-has-a-relu, the-bias-is-added-before-the-relu, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 0-25 %
# mistake: returns-none
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
