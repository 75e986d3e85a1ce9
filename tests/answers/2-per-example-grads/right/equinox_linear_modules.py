# Equinox Linear modules, whose weights are transposed; the gradient module is turned back into a dict
import equinox as eqx
import jax
import jax.numpy as jnp
import optax

NAMES = ("layer1", "layer2", "layer3")


class Net(eqx.Module):
    linears: list

    def __call__(self, image):
        *hidden, last = self.linears
        for linear in hidden:
            image = jax.nn.relu(linear(image))
        return last(image)


def as_module(params):
    linears = []
    for name in NAMES:
        w, b = params[name]["w"], params[name]["b"]
        empty = eqx.nn.Linear(*w.shape, key=jax.random.key(0))
        linears.append(eqx.tree_at(lambda m: (m.weight, m.bias), empty, (w.T, b)))
    return Net(linears)


@eqx.filter_grad
def gradient(net, image, label):
    return optax.softmax_cross_entropy_with_integer_labels(net(image), label)


def per_example_grads(params, x, y):
    grads = jax.vmap(gradient, in_axes=(None, 0, 0))(as_module(params), x, y)
    return {
        name: {"w": jnp.swapaxes(g.weight, 1, 2), "b": g.bias}
        for name, g in zip(NAMES, grads.linears)
    }


def per_example_grad_norms(params, x, y):
    grads = jax.vmap(gradient, in_axes=(None, 0, 0))(as_module(params), x, y)
    arrays = jax.tree.leaves(eqx.filter(grads, eqx.is_array))
    return jnp.sqrt(sum((a.reshape(len(x), -1) ** 2).sum(-1) for a in arrays))
