# structural pattern matching over a list of layers
import jax


def run(layers, h):
    match layers:
        case [{"w": w, "b": b}]:
            return h @ w + b
        case [{"w": w, "b": b}, *others]:
            return run(others, jax.nn.relu(h @ w + b))


def mlp_forward(params, x):
    return run([params["layer%d" % i] for i in range(1, 1 + len(params))], x)
