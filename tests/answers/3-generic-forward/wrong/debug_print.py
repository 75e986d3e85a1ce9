# leaves a debug print inside
# loses: mlp-forward-is-a-pure-function
# fair: 80-95 %
# mistake: calls-back-into-python
import jax


def mlp_forward(params, x):
    depth = len(params)
    for i in range(1, depth + 1):
        x = x @ params[f"layer{i}"]["w"] + params[f"layer{i}"]["b"]
        if i < depth:
            x = jax.nn.relu(x)
    jax.debug.print("logits {}", x)
    return x
