# an Equinox module filled from params, vmapped over examples with a key each
import equinox as eqx
import jax
import jax.numpy as jnp


class Net(eqx.Module):
    weights: list
    biases: list
    drop: eqx.nn.Dropout

    def __call__(self, x, key):
        for w, b, k in zip(self.weights[:-1], self.biases[:-1], jax.random.split(key)):
            x = self.drop(jax.nn.relu(x @ w + b), key=k)
        return x @ self.weights[-1] + self.biases[-1]


def dropout(key, x, rate):
    return eqx.nn.Dropout(p=rate)(x, key=key)


def forward_dropout(params, x, key, rate=0.5, train=True):
    layers = [params[name] for name in ("layer1", "layer2", "layer3")]
    net = Net([l["w"] for l in layers], [l["b"] for l in layers], eqx.nn.Dropout(rate))
    net = eqx.nn.inference_mode(net, value=not train)
    return jax.vmap(net)(x, jax.random.split(key, len(x)))
