# works on columns and forgets to turn the result around
# loses: a-batch-of-one-keeps-its-axis, gradients-are-those-of-the-network, a-deep-network-learns-with-it
# fair: 55-80 %
# mistake: batch-axis-comes-last
import jax


def mlp_forward(params, x):
    a = x.T
    depth = len(params)
    for i in range(1, depth + 1):
        a = params[f"layer{i}"]["w"].T @ a + params[f"layer{i}"]["b"][:, None]
        if i < depth:
            a = jax.nn.relu(a)
    return a
