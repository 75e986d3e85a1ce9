# squeezes the result
# loses: a-batch-of-one-keeps-its-axis
# fair: 80-97 %
# mistake: drops-the-batch-axis
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    depth = len(jax.tree.leaves(params)) // 2
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x.squeeze()
