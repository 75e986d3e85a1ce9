# computes in half precision
# loses: mlp-forward-is-a-pure-function, three-layers-are-the-lessons-network
# fair: 70-90 %
# mistake: loses-precision, other-results-under-jit
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x.astype("bfloat16") @ params[f"layer{i}"]["w"].astype("bfloat16") + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x.astype("float32")
