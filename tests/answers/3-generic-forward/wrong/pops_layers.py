# takes the layers out of the caller's dict
# loses: mlp-forward-is-a-pure-function
# fair: 70-95 %
# mistake: changes-its-arguments
import jax


def mlp_forward(params, x):
    i = 1
    while len(params) > 1:
        p = params.pop(f"layer{i}")
        x = jax.nn.relu(x @ p["w"] + p["b"])
        i += 1
    p = params.pop(f"layer{i}")
    return x @ p["w"] + p["b"]
