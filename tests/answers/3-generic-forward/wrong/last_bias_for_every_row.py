# nothing but the last bias, for every row
# loses: three-layers-are-the-lessons-network, the-depth-comes-from-params, logits-come-as-they-are, every-hidden-layer-has-a-relu, the-bias-is-added-before-the-relu, layers-run-in-the-order-of-their-numbers, the-order-of-insertion-means-nothing, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 0-20 %
# mistake: result-does-not-depend-on-x
import jax.numpy as jnp


def mlp_forward(params, x):
    last = params[f"layer{len(params)}"]["b"]
    return jnp.broadcast_to(last, (x.shape[0], last.shape[0]))
