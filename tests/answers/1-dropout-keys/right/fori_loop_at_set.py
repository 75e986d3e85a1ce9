# fori_loop that writes one row after the other with .at[i].set, a key for each by fold_in
import jax
import jax.numpy as jnp


def dropout(key, x, rate):
    def fill(i, out):
        keep = jax.random.bernoulli(jax.random.fold_in(key, i), 1 - rate, x.shape[1:])
        return out.at[i].set(jnp.where(keep, x[i] / (1 - rate), 0))

    return jax.lax.fori_loop(0, x.shape[0], fill, jnp.zeros_like(x))


def forward_dropout(params, x, key, rate=0.5, train=True):
    h = x
    for i, k in enumerate(jax.random.split(key, 2)):
        layer = params["layer%d" % (i + 1)]
        h = jax.nn.relu(h.dot(layer["w"]) + layer["b"])
        if train:
            h = dropout(k, h, rate)
    return h.dot(params["layer3"]["w"]) + params["layer3"]["b"]
