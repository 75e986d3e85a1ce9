# sorts by the last digit of the name
# loses: layers-run-in-the-order-of-their-numbers
# fair: 70-92 %
# mistake: only-the-last-digit-counts
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    names = sorted(params, key=lambda n: int(n[-1]))
    for n in names[:-1]:
        x = jax.nn.relu(x @ params[n]["w"] + params[n]["b"])
    return x @ params[names[-1]]["w"] + params[names[-1]]["b"]
