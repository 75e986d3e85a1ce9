# forgets the ReLU
# loses: three-layers-are-the-lessons-network, every-hidden-layer-has-a-relu, a-deep-network-learns-with-it
# fair: 50-75 %
# mistake: no-activation
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    for i in range(len(jax.tree.leaves(params)) // 2):
        x = x @ params[f"layer{i+1}"]["w"] + params[f"layer{i+1}"]["b"]
    return x
