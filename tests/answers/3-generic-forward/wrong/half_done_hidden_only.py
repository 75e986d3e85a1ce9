# half done: the hidden layers, and a reminder where the last should be
# loses: three-layers-are-the-lessons-network, the-depth-comes-from-params, logits-come-as-they-are, the-bias-is-added-before-the-relu, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 20-45 %
# mistake: stops-before-the-last-layer
import jax


def mlp_forward(params, x):
    h = x
    for i in range(1, len(jax.tree.leaves(params)) // 2):
        layer = params[f"layer{i}"]
        h = jax.nn.relu(h @ layer["w"] + layer["b"])
    # TODO last layer without relu
    return h
