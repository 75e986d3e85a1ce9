# Flax NNX: its Dropout draws from an Rngs object that is made inside the function
import jax
from flax import nnx


def dropout(key, x, rate):
    if not jax.numpy.issubdtype(key.dtype, jax.dtypes.prng_key):
        key = jax.random.wrap_key_data(key)
    return nnx.Dropout(rate, deterministic=False)(x, rngs=nnx.Rngs(dropout=key))


def forward_dropout(params, x, key, rate=0.5, train=True):
    k1, k2 = jax.random.split(key)
    x = nnx.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    x = dropout(k1, x, rate) if train else x
    x = nnx.relu(x @ params["layer2"]["w"] + params["layer2"]["b"])
    x = dropout(k2, x, rate) if train else x
    return x @ params["layer3"]["w"] + params["layer3"]["b"]
