# takes the layers as the dict holds them
# loses: layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing
# fair: 65-85 %
# mistake: layer10-runs-before-layer2, layers-run-in-dict-order
import jax


def mlp_forward(params, x):
    *hidden, last = params.values()
    for p in hidden:
        x = jax.nn.relu(x @ p["w"] + p["b"])
    return x @ last["w"] + last["b"]
