# lax only: dot_general, add and max
from jax import lax


def affine(layer, h):
    dims = (((1,), (0,)), ((), ()))
    z = lax.dot_general(h, layer["w"], dimension_numbers=dims, precision=lax.Precision.HIGHEST)
    return lax.add(z, lax.broadcast_in_dim(layer["b"], z.shape, (1,)))


def mlp_forward(params, x):
    names = sorted(params, key=lambda name: int(name.removeprefix("layer")))
    x = affine(params[names[0]], x)
    for name in names[1:]:
        x = affine(params[name], lax.max(x, 0.0))
    return x
