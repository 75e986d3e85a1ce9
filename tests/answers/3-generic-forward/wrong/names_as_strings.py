# sorts the names as strings
# loses: layers-run-in-the-order-of-their-numbers
# fair: 0-100 %
# mistake: none named
import jax


def mlp_forward(params, x):
    names = sorted(params)
    for name in names:
        x = x @ params[name]["w"] + params[name]["b"]
        if name != names[-1]:
            x = jax.nn.relu(x)
    return x
