# the function has another name
# loses: everything
# fair: 0-20 %
# mistake: not-defined
import jax


def forward_mlp(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x
