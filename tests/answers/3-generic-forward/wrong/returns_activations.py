# returns the activations beside the logits
# loses: a-batch-of-one-keeps-its-axis, a-deep-network-learns-with-it
# fair: 70-90 %
# mistake: returns-more-than-the-logits
import jax


def mlp_forward(params, x):
    depth = len(params)
    seen = []
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
        seen.append(x)
    return x, seen
