# columns instead of rows, and an optional parameter more
import jax
import jax.numpy as jnp


def dropout(key, x, rate, *, value=0.0):
    keep = 1.0 - rate
    return jnp.where(jax.random.bernoulli(key, keep, x.shape), x / keep, value).astype(x.dtype)


def dense(layer, x):
    return (layer["w"].T @ x.T).T + layer["b"]


def forward_dropout(params, x, key, rate=0.5, train=True, drop=dropout):
    k1, k2 = jax.random.split(key)
    keep_all = lambda key, h, rate: h
    drop = drop if train else keep_all
    h = drop(k1, jax.nn.relu(dense(params["layer1"], x)), rate)
    h = drop(k2, jax.nn.relu(dense(params["layer2"], h)), rate)
    return dense(params["layer3"], h)
