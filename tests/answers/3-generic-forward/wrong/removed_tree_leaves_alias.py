# calls jax.tree_leaves, which JAX no longer has
# loses: everything
# fair: 0-25 %
# mistake: raises
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    depth = len(jax.tree_leaves(params)) // 2
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x
