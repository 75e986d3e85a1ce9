# computes in half precision
# loses: three-layers-are-the-lessons-network
# fair: 80-90 %
# mistake: loses-precision
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x.astype("bfloat16") @ params[f"layer{i}"]["w"].astype("bfloat16") + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x.astype("float32")
