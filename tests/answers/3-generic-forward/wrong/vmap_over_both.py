# vmaps over the parameters too
# loses: everything
# fair: 0-25 %
# mistake: raises
import jax


def one(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x


mlp_forward = jax.vmap(one)
