"""The lesson's network once more in NumPy: what the checks compare answers with.

It shares no line with the lesson's JAX code, so a mistake (or a patch) there cannot hide here.
"""

from itertools import pairwise
from pathlib import Path

import numpy as np

SIZES = (784, 256, 128, 10)
DATA = Path(__file__).parents[2] / "source" / "intro-to-jax" / "mnist.npz"


def digits(part: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The first ``n`` digits of a part: images ``(n, 784)`` float32 in [0, 1], labels ``(n,)``."""
    with np.load(DATA) as stored:
        x, y = stored[f"x_{part}"][:n], stored[f"y_{part}"][:n]
    return x.astype(np.float32) / 255, y.astype(np.int32)


def random_params(seed: int, sizes: tuple[int, ...] = SIZES, bias: float = 0.1) -> dict:
    """He-scaled weights and, unlike the lesson's, biases that are not zero."""
    rng = np.random.default_rng(seed)
    params = {}
    for i, (n_in, n_out) in enumerate(pairwise(sizes), start=1):
        w = rng.normal(0, np.sqrt(2 / n_in), (n_in, n_out)).astype(np.float32)
        params[f"layer{i}"] = {"w": w, "b": rng.normal(0, bias, n_out).astype(np.float32)}
    return params


def layers(params: dict) -> list[dict]:
    """Layers in the order of their numbers."""
    return [params[f"layer{i}"] for i in range(1, len(params) + 1)]


def forward(params: dict, x: np.ndarray) -> np.ndarray:
    """Logits ``(batch, classes)`` in float64: ReLU between layers, none after the last."""
    return activations(params, x)[-1]


def activations(params: dict, x: np.ndarray) -> list[np.ndarray]:
    """The input, each hidden layer after its ReLU, and the logits."""
    outputs = [x.astype(np.float64)]
    for i, layer in enumerate(layers(params), start=1):
        z = outputs[-1] @ layer["w"].astype(np.float64) + layer["b"]
        outputs.append(np.maximum(z, 0) if i < len(params) else z)
    return outputs


def probabilities(logits: np.ndarray) -> np.ndarray:
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def per_example_grads(params: dict, x: np.ndarray, y: np.ndarray) -> dict:
    """Gradient of each example's own cross-entropy, by hand: a leading batch axis on each leaf."""
    return {
        name: {"w": np.einsum("bi,bj->bij", inputs, delta), "b": delta}
        for name, (inputs, delta) in _back_propagate(params, x, y).items()
    }


def per_example_norms(
    params: dict, x: np.ndarray, y: np.ndarray, biases: bool = True
) -> np.ndarray:
    """Global L2 norm of each example's gradient, ``(batch,)``, without the gradients themselves.

    One example's weight gradient is an outer product, so its norm is the product of two norms
    (Goodfellow 2015, arXiv:1510.01799). ``biases=False`` leaves the biases out.
    """
    return np.sqrt(
        sum(
            ((inputs**2).sum(axis=1) + biases) * (delta**2).sum(axis=1)
            for inputs, delta in _back_propagate(params, x, y).values()
        )
    )


def _back_propagate(params: dict, x: np.ndarray, y: np.ndarray) -> dict:
    """For each layer, its inputs ``(batch, n_in)`` and d loss / d outputs ``(batch, n_out)``."""
    outputs = activations(params, x)
    delta = probabilities(outputs[-1])
    delta[np.arange(len(y)), y] -= 1  # d loss / d logits = softmax - one-hot
    found = {}
    for i in range(len(params), 0, -1):
        found[f"layer{i}"] = (outputs[i - 1], delta)
        if i > 1:
            delta = (delta @ params[f"layer{i}"]["w"].astype(np.float64).T) * (outputs[i - 1] > 0)
    return found


def batch_grads(params: dict, x: np.ndarray, y: np.ndarray) -> dict:
    """Gradient of the mean cross-entropy."""
    outputs = activations(params, x)
    delta = probabilities(outputs[-1])
    delta[np.arange(len(y)), y] -= 1
    delta /= len(y)
    grads = {}
    for i in range(len(params), 0, -1):
        grads[f"layer{i}"] = {"w": outputs[i - 1].T @ delta, "b": delta.sum(axis=0)}
        if i > 1:
            delta = (delta @ params[f"layer{i}"]["w"].astype(np.float64).T) * (outputs[i - 1] > 0)
    return grads


def accuracy(logits: np.ndarray, y: np.ndarray) -> float:
    return float((np.argmax(logits, axis=-1) == y).mean())


def tree_map(function, *trees):
    """Apply ``function`` to the leaves of dicts of the same structure."""
    if isinstance(trees[0], dict):
        return {key: tree_map(function, *(tree[key] for tree in trees)) for key in trees[0]}
    return function(*trees)


def tree_leaves(tree: dict) -> list[np.ndarray]:
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in tree_leaves(tree[key])]
    return [tree]


def global_norm(tree: dict) -> float:
    """Square root of the sum of squares over all leaves."""
    return float(
        np.sqrt(sum(np.sum(np.square(leaf, dtype=np.float64)) for leaf in tree_leaves(tree)))
    )


def adam(learning_rate: float, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8):
    """Adam (Kingma and Ba 2015, arXiv:1412.6980, algorithm 1): returns ``init`` and ``update``."""

    def init(params):
        zeros = tree_map(lambda p: np.zeros(p.shape), params)
        return zeros, zeros, 0

    def update(grads, state):
        m, v, t = state
        t += 1
        m = tree_map(lambda m, g: b1 * m + (1 - b1) * g, m, grads)
        v = tree_map(lambda v, g: b2 * v + (1 - b2) * np.square(g, dtype=np.float64), v, grads)
        updates = tree_map(
            lambda m, v: -learning_rate * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v
        )
        return updates, (m, v, t)

    return init, update


def fit(
    gradient, params: dict, x, y, *, steps: int, batch: int, learning_rate: float = 2e-3
) -> dict:
    """Train with ``gradient(params, x, y, step) -> grads`` and Adam on batches in order."""
    init, update = adam(learning_rate)
    state = init(params)
    for step in range(steps):
        rows = np.arange(step * batch, (step + 1) * batch) % len(x)
        updates, state = update(gradient(params, x[rows], y[rows], step), state)
        params = tree_map(lambda p, u: (p + u).astype(np.float32), params, updates)
    return params
