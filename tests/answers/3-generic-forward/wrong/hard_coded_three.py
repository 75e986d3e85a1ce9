# the lesson's forward pass, renamed
# loses: the-depth-comes-from-params, logits-come-as-they-are, a-batch-of-one-keeps-its-axis, every-hidden-layer-has-a-relu, the-bias-is-added-before-the-relu, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 10-30 %
# mistake: asks-for-a-layer-that-is-not-there, stops-before-the-last-layer
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    x = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    x = jax.nn.relu(x @ params["layer2"]["w"] + params["layer2"]["b"])
    return x @ params["layer3"]["w"] + params["layer3"]["b"]
