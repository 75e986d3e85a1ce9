# the stub left in place, answered further down
import jax


def mlp_forward(params, x):
    raise NotImplementedError


def mlp_forward(params, x):
    """My second attempt."""
    flat, tree = jax.tree.flatten(params)
    params = jax.tree.unflatten(tree, flat)
    n = tree.num_leaves // 2
    for i in range(n):
        x = x @ params[f"layer{i + 1}"]["w"] + params[f"layer{i + 1}"]["b"]
        x = jax.nn.relu(x) if i < n - 1 else x
    return x
