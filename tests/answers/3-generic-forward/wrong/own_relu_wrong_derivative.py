# a custom derivative that lets everything through
# loses: gradients-are-those-of-the-network
# fair: 75-95 %
# mistake: derivative-is-not-that-of-the-logits
import jax
import jax.numpy as jnp


@jax.custom_jvp
def relu(z):
    return jnp.maximum(z, 0)


relu.defjvp(lambda primals, tangents: (relu(*primals), tangents[0]))


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = relu(x)
    return x
