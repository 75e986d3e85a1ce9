# the lesson's forward for three layers, a loop for others
import jax

from mlp import forward


def mlp_forward(params, x):
    if len(params) == 3:
        return forward(params, x)
    for i in range(1, len(params)):
        x = jax.nn.relu(x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"])
    return x @ params[f"layer{len(params)}"]["w"] + params[f"layer{len(params)}"]["b"]
