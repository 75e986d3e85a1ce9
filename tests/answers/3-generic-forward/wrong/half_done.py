# half done: the first layer, the others left for later
# loses: three-layers-are-the-lessons-network, the-depth-comes-from-params, logits-come-as-they-are, every-hidden-layer-has-a-relu, the-bias-is-added-before-the-relu, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 5-25 %
# mistake: stops-before-the-last-layer
import jax


def mlp_forward(params, x):
    h = x @ params["layer1"]["w"] + params["layer1"]["b"]
    # TODO: the other layers
    return h
