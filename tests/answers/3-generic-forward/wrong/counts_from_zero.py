# counts layers from zero
# loses: everything
# fair: 0-25 %
# mistake: layers-counted-from-zero
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(depth):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth - 1:
            x = jax.nn.relu(x)
    return x
