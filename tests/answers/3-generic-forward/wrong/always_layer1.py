# the loop variable is not used
# loses: mlp-forward-is-a-pure-function, three-layers-are-the-lessons-network, the-depth-comes-from-params, every-hidden-layer-has-a-relu, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 0-100 %
# mistake: none named
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    depth = len(jax.tree.leaves(params)) // 2
    for i in range(1, depth):
        x = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    return x @ params[f"layer{depth}"]["w"] + params[f"layer{depth}"]["b"]
