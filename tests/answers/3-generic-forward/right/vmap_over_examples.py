# one example at a time, vmapped
import jax
import jax.numpy as jnp


def one(params, x):
    n = len(params)
    for i in range(n):
        x = jnp.einsum("i,ij->j", x, params["layer%d" % (i + 1)]["w"]) + params["layer%d" % (i + 1)]["b"]
        if i != n - 1:
            x = jax.lax.max(x, jnp.zeros_like(x))
    return x


mlp_forward = jax.vmap(one, in_axes=(None, 0))
