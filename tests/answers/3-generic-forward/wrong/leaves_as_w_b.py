# takes the leaves for w, b, w, b, but they come b first
# loses: everything
# fair: 0-25 %
# mistake: w-and-b-by-position
import jax


def mlp_forward(params, x):
    leaves = jax.tree.leaves(params)
    pairs = list(zip(leaves[0::2], leaves[1::2]))
    for w, b in pairs[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = pairs[-1]
    return x @ w + b
