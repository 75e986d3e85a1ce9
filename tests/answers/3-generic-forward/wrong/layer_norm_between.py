# normalises each hidden layer before its ReLU
# loses: three-layers-are-the-lessons-network, every-hidden-layer-has-a-relu, the-bias-is-added-before-the-relu, gradients-are-those-of-the-network
# fair: 35-60 %
# mistake: normalises-between-layers
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(jax.nn.standardize(x))
    return x
