# jit with the parameters declared static
# loses: everything
# fair: 0-25 %
# mistake: raises
from functools import partial

import jax


@partial(jax.jit, static_argnums=0)
def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x
