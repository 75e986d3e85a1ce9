# softmax over the wrong axis
# loses: three-layers-are-the-lessons-network, logits-come-as-they-are, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 60-85 %
# mistake: returns-probabilities
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return jax.nn.softmax(x, axis=0)
