# counts its calls in a global variable
# loses: mlp-forward-is-a-pure-function
# fair: 80-95 %
# mistake: changes-what-is-outside
import jax

calls = 0


def mlp_forward(params, x):
    global calls
    calls += 1
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x
