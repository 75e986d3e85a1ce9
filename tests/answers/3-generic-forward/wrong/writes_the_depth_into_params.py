# writes the depth into the caller's dict
# loses: mlp-forward-is-a-pure-function
# fair: 70-95 %
# mistake: changes-its-arguments
import jax


def mlp_forward(params, x):
    params.setdefault("depth", len(params))
    for i in range(1, params["depth"] + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < params["depth"]:
            x = jax.nn.relu(x)
    return x
