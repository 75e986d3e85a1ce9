# half done: counts the layers and hands the input back
# loses: three-layers-are-the-lessons-network, the-depth-comes-from-params, logits-come-as-they-are, every-hidden-layer-has-a-relu, the-bias-is-added-before-the-relu, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 0-15 %
# mistake: returns-its-input
import jax


def mlp_forward(params, x):
    depth = len(jax.tree.leaves(params)) // 2
    for i in range(1, depth + 1):
        pass
    return x
