# scans over stacked layers, which must all have one shape
# loses: three-layers-are-the-lessons-network, the-depth-comes-from-params, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 40-65 %
# mistake: works-for-equal-widths-only
import jax
import jax.numpy as jnp


def mlp_forward(params, x):
    layers = [params[f"layer{i}"] for i in range(1, len(params) + 1)]
    stacked = jax.tree.map(lambda *parts: jnp.stack(parts), *layers)

    def step(h, layer):
        z = h @ layer["w"] + layer["b"]
        return jax.nn.relu(z), z

    _, sums = jax.lax.scan(step, x, stacked)
    return sums[-1]
