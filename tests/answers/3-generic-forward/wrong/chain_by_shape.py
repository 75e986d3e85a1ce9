# orders layers by widths that fit, which equal widths do not tell
# loses: layers-run-in-the-order-of-their-numbers
# fair: 70-92 %
# mistake: layer10-runs-before-layer2
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    todo = [params[k] for k in sorted(params)]
    width = x.shape[-1]
    while todo:
        p = next(q for q in todo if q["w"].shape[0] == width)
        todo = [q for q in todo if q is not p]
        x = x @ p["w"] + p["b"]
        width = p["w"].shape[1]
        if todo:
            x = jax.nn.relu(x)
    return x
