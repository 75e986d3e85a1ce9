# returns all logits in one long row
# loses: a-batch-of-one-keeps-its-axis, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 55-80 %
# mistake: drops-the-batch-axis
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x.ravel()
