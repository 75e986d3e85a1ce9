# from the last layer to the first
# loses: three-layers-are-the-lessons-network, the-depth-comes-from-params, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 25-50 %
# mistake: layers-run-backwards
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    depth = len(jax.tree.leaves(params)) // 2
    for i in range(depth, 0, -1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i > 1:
            x = jax.nn.relu(x)
    return x
