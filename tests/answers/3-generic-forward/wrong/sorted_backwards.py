# sorts the names by number, with reverse=True
# loses: three-layers-are-the-lessons-network, the-depth-comes-from-params, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 25-50 %
# mistake: layers-run-backwards
import jax


def mlp_forward(params, x):
    names = sorted(params, key=lambda name: int(name[5:]), reverse=True)
    for name in names[:-1]:
        x = jax.nn.relu(x @ params[name]["w"] + params[name]["b"])
    return x @ params[names[-1]]["w"] + params[names[-1]]["b"]
