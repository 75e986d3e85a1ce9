# dropout with a fixed key after each hidden layer
# loses: three-layers-are-the-lessons-network, the-depth-comes-from-params, logits-come-as-they-are, every-hidden-layer-has-a-relu, the-bias-is-added-before-the-relu, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 10-35 %
# mistake: none named
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            keep = jax.random.bernoulli(jax.random.key(i), 0.5, x.shape)
            x = jnp.where(keep, jax.nn.relu(x) / 0.5, 0)
    return x
