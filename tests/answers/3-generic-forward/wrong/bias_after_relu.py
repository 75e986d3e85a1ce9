# adds the bias after the ReLU
# loses: three-layers-are-the-lessons-network, the-bias-is-added-before-the-relu
# fair: 60-85 %
# mistake: bias-after-the-relu
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    depth = len(jax.tree.leaves(params)) // 2
    for i in range(1, depth + 1):
        p = params[f"layer{i}"]
        x = (jax.nn.relu(x @ p["w"]) if i < depth else x @ p["w"]) + p["b"]
    return x
