# fori_loop, whose counter is a tracer and names no layer
# loses: everything
# fair: 0-25 %
# mistake: layer-looked-up-by-a-tracer
import jax


def mlp_forward(params, x):
    depth = len(params)

    def body(i, h):
        return jax.nn.relu(h @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"])

    h = jax.lax.fori_loop(1, depth, body, x)
    return h @ params[f"layer{depth}"]["w"] + params[f"layer{depth}"]["b"]
