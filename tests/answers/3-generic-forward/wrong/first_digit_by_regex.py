# a pattern that reads one digit only, so layer10 and layer11 are both 1
# loses: layers-run-in-the-order-of-their-numbers
# fair: 70-92 %
# mistake: layer10-runs-before-layer2
import re

import jax


def mlp_forward(params, x):
    names = sorted(params, key=lambda name: int(re.match(r"layer(\d)", name).group(1)))
    for name in names[:-1]:
        x = jax.nn.relu(x @ params[name]["w"] + params[name]["b"])
    return x @ params[names[-1]]["w"] + params[names[-1]]["b"]
