# x.at[...].set with a mask; keys by fold_in of each layer's width; an old PRNGKey works too
import jax
import jax.numpy as jnp


@jax.named_call
def dropout(key, x, rate):
    drop = jax.random.bernoulli(key, rate, x.shape)
    return (x / (1 - rate)).at[...].multiply(1 - drop.astype(x.dtype))


def forward_dropout(params, x, key, rate=0.5, train=True):
    with jax.named_scope("forward"):
        for name in sorted(params)[:-1]:
            x = jax.nn.relu(x @ params[name]["w"] + params[name]["b"])
            x = dropout(jax.random.fold_in(key, x.shape[-1]), x, rate) if train else x
        return x @ params["layer3"]["w"] + params["layer3"]["b"]
