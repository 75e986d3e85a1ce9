# log_softmax at the end
# loses: three-layers-are-the-lessons-network, logits-come-as-they-are
# fair: 70-90 %
# mistake: returns-log-probabilities
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    depth = len(jax.tree.leaves(params)) // 2
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        x = jax.nn.relu(x) if i < depth else jax.nn.log_softmax(x)
    return x
