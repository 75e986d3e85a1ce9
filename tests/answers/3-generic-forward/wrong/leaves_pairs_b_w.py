# takes the layers in the order of the leaves
# loses: layers-run-in-the-order-of-their-numbers
# fair: 70-92 %
# mistake: layer10-runs-before-layer2
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    leaves = jax.tree.leaves(params)
    layers = list(zip(leaves[::2], leaves[1::2]))
    for b, w in layers[:-1]:
        x = jax.nn.relu(x @ w + b)
    b, w = layers[-1]
    return x @ w + b
