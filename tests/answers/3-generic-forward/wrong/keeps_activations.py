# appends activations to a list outside
# loses: mlp-forward-is-a-pure-function
# fair: 75-95 %
# mistake: changes-what-is-outside
import jax

ACTIVATIONS = []


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    ACTIVATIONS.append(x)
    return x
