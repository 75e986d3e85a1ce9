"""Model solution of 3-generic-forward, extracted from its notebook: do not edit here.

``jaxercise reference`` writes this file.
"""

import jax


def mlp_forward(params, x):
    """The forward pass of a network of any depth.

    Args:
        params: {"layer1": {"w": (n_in, n_out), "b": (n_out,)}, ..., "layerN": ...}.
        x: inputs, (batch, n_in).

    Returns:
        Logits, (batch, n_out of the last layer).
    """
    depth = len(params)
    for i in range(1, depth + 1):
        layer = params[f"layer{i}"]
        x = x @ layer["w"] + layer["b"]
        if i < depth:
            x = jax.nn.relu(x)
    return x
