# recursion from the last layer down to the input, as a lambda
import jax

layer_output = lambda params, x, k: (
    (x if k == 1 else jax.nn.relu(layer_output(params, x, k - 1))) @ params[f"layer{k}"]["w"]
    + params[f"layer{k}"]["b"]
)
mlp_forward = lambda params, x: layer_output(params, x, len(params))
