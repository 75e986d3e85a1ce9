# softmax at the end
# loses: three-layers-are-the-lessons-network, logits-come-as-they-are, gradients-are-those-of-the-network
# fair: 60-85 %
# mistake: returns-probabilities
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return jax.nn.softmax(x)
