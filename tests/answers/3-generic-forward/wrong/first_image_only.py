# takes the first image of the batch
# loses: three-layers-are-the-lessons-network, the-depth-comes-from-params, logits-come-as-they-are, a-batch-of-one-keeps-its-axis, every-hidden-layer-has-a-relu, the-bias-is-added-before-the-relu, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 5-30 %
# mistake: drops-the-batch-axis
import jax


def mlp_forward(params, x):
    h = x[0]
    depth = len(params)
    for i in range(1, depth + 1):
        h = h @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            h = jax.nn.relu(h)
    return h
