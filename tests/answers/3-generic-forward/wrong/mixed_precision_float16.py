# multiplies in float16, as mixed precision does on a GPU, and adds in float32
# loses: three-layers-are-the-lessons-network
# fair: 80-90 %
# mistake: loses-precision
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    half = jnp.float16
    for i in range(1, len(params) + 1):
        layer = params[f"layer{i}"]
        x = jnp.dot(x.astype(half), layer["w"].astype(half)) + layer["b"]
        x = jax.nn.relu(x) if i < len(params) else x
    return x
