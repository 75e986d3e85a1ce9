# a ReLU in NumPy, through pure_callback
# loses: mlp-forward-is-a-pure-function, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 60-85 %
# mistake: calls-back-into-python, cannot-be-differentiated
import jax
import numpy as np


def relu(z):
    return jax.pure_callback(lambda z: np.maximum(z, 0), jax.ShapeDtypeStruct(z.shape, z.dtype), z)


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = relu(x)
    return x
