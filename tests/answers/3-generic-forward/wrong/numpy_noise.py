# adds NumPy's noise to the logits
# loses: mlp-forward-is-a-pure-function
# fair: 70-95 %
# mistake: changes-what-is-outside
import jax
import numpy as np


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x + 1e-4 * np.random.random(x.shape)
