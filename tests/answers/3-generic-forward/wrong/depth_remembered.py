# remembers the depth of the first network that it sees
# loses: mlp-forward-is-a-pure-function, three-layers-are-the-lessons-network, the-depth-comes-from-params, logits-come-as-they-are, a-batch-of-one-keeps-its-axis, every-hidden-layer-has-a-relu, the-bias-is-added-before-the-relu, layers-run-in-the-order-of-their-numbers, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 5-30 %
# mistake: asks-for-a-layer-that-is-not-there, changes-what-is-outside, stops-before-the-last-layer
import jax

DEPTH = None


def mlp_forward(params, x):
    global DEPTH
    DEPTH = DEPTH or len(params)
    for i in range(1, DEPTH + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < DEPTH:
            x = jax.nn.relu(x)
    return x
