# takes the row's maximum away, against overflow
# loses: three-layers-are-the-lessons-network, logits-come-as-they-are
# fair: 70-90 %
# mistake: shifts-the-logits
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x - x.max(axis=1, keepdims=True)
