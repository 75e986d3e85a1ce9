# casts everything to bfloat16 first, logits cast back
# loses: three-layers-are-the-lessons-network
# fair: 80-90 %
# mistake: loses-precision
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    params, h = jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16), (params, x))
    for i in range(1, len(params)):
        h = jax.nn.relu(h @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"])
    last = params[f"layer{len(params)}"]
    return (h @ last["w"] + last["b"]).astype(jnp.float32)
