# a new dict under the last digit, where layer11 replaces layer1
# loses: layers-run-in-the-order-of-their-numbers
# fair: 65-90 %
# mistake: only-the-last-digit-counts
import jax


def mlp_forward(params, x):
    numbered = {int(name[-1]): layer for name, layer in params.items()}
    layers = [numbered[i] for i in sorted(numbered)]
    for layer in layers[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ layers[-1]["w"] + layers[-1]["b"]
