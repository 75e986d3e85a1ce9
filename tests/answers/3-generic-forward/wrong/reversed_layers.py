# from the last layer to the first
# loses: mlp-forward-is-a-pure-function, three-layers-are-the-lessons-network, the-depth-comes-from-params, logits-come-as-they-are, a-batch-of-one-keeps-its-axis, every-hidden-layer-has-a-relu, the-bias-is-added-before-the-relu, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 0-100 %
# mistake: none named
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    depth = len(jax.tree.leaves(params)) // 2
    for i in range(depth, 0, -1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i > 1:
            x = jax.nn.relu(x)
    return x
