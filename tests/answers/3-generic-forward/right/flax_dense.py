# applies flax Dense layers
import flax.linen as nn


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        p = params[f"layer{i}"]
        dense = nn.Dense(p["b"].shape[0])
        x = dense.apply({"params": {"kernel": p["w"], "bias": p["b"]}}, x)
        x = nn.relu(x) if i < depth else x
    return x
