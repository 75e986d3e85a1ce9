# rematerialises each layer and prints the depth while it runs
import jax


@jax.checkpoint
def hidden(layer, h):
    return jax.nn.relu(h @ layer["w"] + layer["b"])


def mlp_forward(params, x):
    depth = len(params)
    print("layers:", depth)
    for i in range(1, depth):
        x = hidden(params[f"layer{i}"], x)
    return x @ params[f"layer{depth}"]["w"] + params[f"layer{depth}"]["b"]
