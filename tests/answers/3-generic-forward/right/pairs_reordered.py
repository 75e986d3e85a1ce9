# takes (b, w) pairs from the leaves and puts them in natural order
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    leaves = jax.tree.leaves(params)
    pairs = dict(zip(sorted(params), zip(leaves[0::2], leaves[1::2])))
    ordered = [pairs[k] for k in sorted(pairs, key=lambda k: int(k[5:]))]
    for b, w in ordered[:-1]:
        x = jax.nn.relu(x @ w + b)
    b, w = ordered[-1]
    return x @ w + b
