# computes with NumPy, which cannot be traced
# loses: mlp-forward-is-a-pure-function, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 55-80 %
# mistake: cannot-be-differentiated, cannot-be-traced
import numpy as np


def mlp_forward(params, x):
    h = np.asarray(x)
    for i in range(1, len(params) + 1):
        layer = params[f"layer{i}"]
        h = h @ np.asarray(layer["w"]) + np.asarray(layer["b"])
        if i < len(params):
            h = np.maximum(h, 0)
    return h
