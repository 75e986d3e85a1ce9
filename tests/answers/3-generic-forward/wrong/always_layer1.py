# the loop variable is not used
# loses: three-layers-are-the-lessons-network, the-depth-comes-from-params, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 20-45 %
# mistake: one-layer-in-place-of-others
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    depth = len(jax.tree.leaves(params)) // 2
    for i in range(1, depth):
        x = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    return x @ params[f"layer{depth}"]["w"] + params[f"layer{depth}"]["b"]
