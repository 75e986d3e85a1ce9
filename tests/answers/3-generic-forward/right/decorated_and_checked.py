# checks its arguments, and is decorated by jit and by a counter-free wrapper
import functools

import jax
import jax.numpy as jnp


def checked(function):
    @functools.wraps(function)
    def wrapper(params, x):
        missing = [i for i in range(1, len(params) + 1) if f"layer{i}" not in params]
        if missing:
            raise ValueError(f"params has no layer{missing[0]}")
        if x.shape[-1] != params["layer1"]["w"].shape[0]:
            raise ValueError("x does not fit the first layer")
        return function(params, x)

    return wrapper


@checked
@jax.jit
def mlp_forward(params, x):
    with jax.named_scope("mlp"):
        for i in range(1, len(params) + 1):
            with jax.named_scope(f"layer{i}"):
                x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
                x = jnp.where(i < len(params), jax.nn.relu(x), x)
    return x
