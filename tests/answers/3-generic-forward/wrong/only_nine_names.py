# goes through nine names, so at most nine layers run
# loses: layers-run-in-the-order-of-their-numbers
# fair: 65-90 %
# mistake: stops-before-the-last-layer
import jax


def mlp_forward(params, x):
    names = [f"layer{i}" for i in range(1, 10) if f"layer{i}" in params]
    for name in names[:-1]:
        x = jax.nn.relu(x @ params[name]["w"] + params[name]["b"])
    return x @ params[names[-1]]["w"] + params[names[-1]]["b"]
