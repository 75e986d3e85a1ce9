# sorts the names as strings
# loses: layers-run-in-the-order-of-their-numbers
# fair: 70-92 %
# mistake: layer10-runs-before-layer2
import jax


def mlp_forward(params, x):
    names = sorted(params)
    for name in names:
        x = x @ params[name]["w"] + params[name]["b"]
        if name != names[-1]:
            x = jax.nn.relu(x)
    return x
