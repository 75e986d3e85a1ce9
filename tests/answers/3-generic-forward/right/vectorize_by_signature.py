# jnp.vectorize with a signature
from functools import partial

import jax
import jax.numpy as jnp


@partial(jnp.vectorize, excluded={0}, signature="(i)->(o)")
def mlp_forward(params, x):
    names = sorted(params.keys(), key=lambda s: (len(s), s))
    for name in names[:-1]:
        x = jax.nn.relu(params[name]["w"].T @ x + params[name]["b"])
    return params[names[-1]]["w"].T @ x + params[names[-1]]["b"]
