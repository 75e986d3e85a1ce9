# expects Flax's names, kernel and bias
# loses: everything
# fair: 0-25 %
# mistake: other-names-than-the-contracts
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        layer = params[f"layer{i}"]
        x = x @ layer["kernel"] + layer["bias"]
        if i < depth:
            x = jax.nn.relu(x)
    return x
