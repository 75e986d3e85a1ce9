# the loop ends at the first name that is missing
import jax


def mlp_forward(params, x):
    sums, i = None, 1
    try:
        while True:
            layer = params[f"layer{i}"]
            h = x if sums is None else jax.nn.relu(sums)
            sums = h @ layer["w"] + layer["b"]
            i += 1
    except KeyError:
        return sums
