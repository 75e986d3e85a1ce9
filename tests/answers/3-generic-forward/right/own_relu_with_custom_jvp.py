# a ReLU of its own, with a custom derivative
import jax
import jax.numpy as jnp


@jax.custom_jvp
def relu(z):
    return jnp.maximum(z, 0)


@relu.defjvp
def relu_jvp(primals, tangents):
    (z,), (dz,) = primals, tangents
    return relu(z), jnp.where(z > 0, dz, 0.0)


def mlp_forward(params, x):
    n = len(params)
    for i in range(1, n):
        x = relu(jnp.matmul(x, params[f"layer{i}"]["w"]) + params[f"layer{i}"]["b"])
    return jnp.matmul(x, params[f"layer{n}"]["w"]) + params[f"layer{n}"]["b"]
