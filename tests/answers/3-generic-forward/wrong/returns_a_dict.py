# returns the logits in a dict
# loses: a-batch-of-one-keeps-its-axis, a-deep-network-learns-with-it
# fair: 65-90 %
# mistake: returns-more-than-the-logits
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return {"logits": x}
