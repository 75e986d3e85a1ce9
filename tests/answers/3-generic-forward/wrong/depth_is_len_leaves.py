# counts two leaves a layer as two layers
# loses: everything
# fair: 0-25 %
# mistake: asks-for-a-layer-that-is-not-there
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    depth = len(jax.tree.leaves(params))
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x
