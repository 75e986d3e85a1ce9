# a sigmoid on the logits, as for yes or no
# loses: three-layers-are-the-lessons-network, logits-come-as-they-are, gradients-are-those-of-the-network
# fair: 60-85 %
# mistake: squashes-the-logits
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        x = jax.nn.relu(x) if i < depth else jax.nn.sigmoid(x)
    return x
