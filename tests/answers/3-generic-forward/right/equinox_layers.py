# builds equinox layers from the parameters
import equinox as eqx
import jax


def mlp_forward(params, x):
    layers = []
    for i in range(1, len(params) + 1):
        w, b = params[f"layer{i}"]["w"], params[f"layer{i}"]["b"]
        linear = eqx.nn.Linear(*w.shape, key=jax.random.key(0))
        layers.append(eqx.tree_at(lambda m: (m.weight, m.bias), linear, (w.T, b)))
        layers.append(eqx.nn.Lambda(jax.nn.relu))
    return jax.vmap(eqx.nn.Sequential(layers[:-1]))(x)
