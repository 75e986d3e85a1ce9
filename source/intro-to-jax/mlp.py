"""The lesson's network: data, parameters, forward pass, loss, training and a few plots.

Everything here is a plain function of its arguments. Parameters are a nested dict,
``{"layer1": {"w": (784, 256), "b": (256,)}, "layer2": ..., "layer3": ...}``, and every
random choice takes the key that decides it.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
import optax
from matplotlib.figure import Figure

Params = dict[str, dict[str, jax.Array]]

SIZES = (784, 256, 128, 10)  # pixels, two hidden layers, ten digits
HERE = Path(__file__).parent


class Digits(NamedTuple):
    """Images ``(n, 784)`` float32 in [0, 1] and labels ``(n,)`` int32, in three parts."""

    x_train: jax.Array
    y_train: jax.Array
    x_valid: jax.Array
    y_valid: jax.Array
    x_test: jax.Array
    y_test: jax.Array


def load_mnist(full: bool = False) -> Digits:
    """Load handwritten digits: learn on train, choose on validation, report on test once.

    Args:
        full: False reads the 5,000 digits that come with the course (4,000 to train on,
            500 and 500 held out). True downloads all 70,000 from OpenML and keeps them in
            scikit-learn's cache: 55,000, 5,000 and MNIST's own 10,000 test digits.

    Raises:
        RuntimeError: ``full`` was asked for and the download did not work.
    """
    if not full:
        with np.load(HERE / "mnist.npz") as stored:
            arrays = [stored[name] for name in Digits._fields]
    else:
        pixels, labels = _download_mnist()
        cuts = (0, 55_000, 60_000, 70_000)
        arrays = [part[a:b] for a, b in pairwise(cuts) for part in (pixels, labels)]
    images, labels = arrays[0::2], arrays[1::2]
    pairs = zip(images, labels)
    return Digits(
        *[part for x, y in pairs for part in (jnp.float32(x) / 255, jnp.asarray(y, jnp.int32))]
    )


def _download_mnist() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import fetch_openml

    try:
        return fetch_openml("mnist_784", version=1, return_X_y=True, as_frame=False)
    except Exception as error:
        raise RuntimeError(
            "The full MNIST set could not be downloaded from OpenML. Connect to the internet "
            "and try again (it is kept after the first time), or use load_mnist(), which reads "
            "the 5,000 digits that came with the course and needs no network."
        ) from error


def init_params(key: jax.Array, sizes: Sequence[int] = SIZES) -> Params:
    """Draw weights and zero biases for a network of the given layer sizes.

    Hidden layers get He's scale, sqrt(2 / inputs), which keeps the size of a signal steady
    through ReLU (He et al. 2015, arXiv:1502.01852). No ReLU follows the last layer, so it
    gets sqrt(1 / inputs).
    """
    params = {}
    depth = len(sizes) - 1
    for i, (n_in, n_out) in enumerate(pairwise(sizes), start=1):
        key, layer_key = jax.random.split(key)
        scale = jnp.sqrt((2.0 if i < depth else 1.0) / n_in)
        w = scale * jax.random.normal(layer_key, (n_in, n_out))
        params[f"layer{i}"] = {"w": w, "b": jnp.zeros(n_out)}
    return params


def forward(params: Params, x: jax.Array) -> jax.Array:
    """Turn images ``(batch, 784)`` into logits ``(batch, 10)``; also one image ``(784,)``."""
    h = jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])
    h = jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])
    return h @ params["layer3"]["w"] + params["layer3"]["b"]


def cross_entropy(logits: jax.Array, y: jax.Array) -> jax.Array:
    """Mean over the batch of -log p(true class), through the stable ``log_softmax``."""
    log_p = jax.nn.log_softmax(logits)
    return -jnp.take_along_axis(log_p, y[..., None], axis=-1).mean()


def loss_fn(params: Params, x: jax.Array, y: jax.Array) -> jax.Array:
    """The lesson's loss: mean softmax cross-entropy of ``forward`` on labels ``y``."""
    return cross_entropy(forward(params, x), y)


def accuracy(logits: jax.Array, y: jax.Array) -> float:
    """The share of rows whose largest logit stands at the true class, between 0 and 1."""
    return float((logits.argmax(axis=-1) == y).mean())


def train(
    params: Params,
    loss: Callable[[Params, jax.Array, jax.Array, jax.Array], jax.Array],
    x: jax.Array,
    y: jax.Array,
    key: jax.Array,
    *,
    epochs: int = 10,
    batch_size: int = 128,
    learning_rate: float = 1e-3,
) -> Params:
    """Train with Adam and print one line of progress after every epoch.

    Args:
        params: where to start; left as they are.
        loss: ``loss(params, x, y, key) -> scalar``. A loss without randomness ignores ``key``.
        x, y: images ``(n, 784)`` and labels ``(n,)``.
        key: decides the order of the examples and the key of every step.

    Each epoch shuffles anew and leaves out the last ``n % batch_size`` examples of that order.
    """
    optimizer = optax.adam(learning_rate)

    @jax.jit
    def step(params, state, x, y, key):
        value, grads = jax.value_and_grad(loss)(params, x, y, key)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    state = optimizer.init(params)
    n_batches = len(x) // batch_size
    for epoch in range(1, epochs + 1):
        key, shuffle_key, dropout_key = jax.random.split(key, 3)
        order = jax.random.permutation(shuffle_key, len(x))[: n_batches * batch_size]
        step_keys = jax.random.split(dropout_key, n_batches)
        total = 0.0
        for rows, step_key in zip(order.reshape(n_batches, batch_size), step_keys):
            params, state, value = step(params, state, x[rows], y[rows], step_key)
            total += value
        bar = ("#" * round(20 * epoch / epochs)).ljust(20, ".")
        print(f"[{bar}] epoch {epoch:2d} of {epochs}   mean loss {total / n_batches:.4f}")
    return params


def show_digits(
    x: jax.Array, titles: Sequence[str], columns: int = 8, marked: Sequence[int] = ()
) -> Figure:
    """Draw images ``(n, 784)`` in a grid with a short title above each, ``marked`` ones in red."""
    rows = -(-len(x) // columns)
    high, wide = 37, max(32, 2 * max(map(len, titles)) + 4)  # pixels from one image to the next
    sheet = np.full((rows * high, columns * wide), np.nan)  # nan is not drawn
    inches = 0.0375  # a pixel
    size = (inches * sheet.shape[1], inches * sheet.shape[0])
    fig, ax = plt.subplots(figsize=size, layout="constrained")
    marked = {int(i) for i in marked}
    for i, (image, title) in enumerate(zip(np.asarray(x), titles)):
        top, left = i // columns * high + high - 28, i % columns * wide + (wide - 28) // 2
        sheet[top : top + 28, left : left + 28] = image.reshape(28, 28)
        style = {"color": "crimson", "weight": "bold"} if i in marked else {}
        ax.text(left + 14, top - 1.5, title, fontsize=9, ha="center", **style)
    ax.imshow(sheet, cmap="gray_r", vmin=0, vmax=1)
    ax.axis("off")
    return fig


def plot_lines(lines: dict[str, Sequence[float]], xlabel: str, ylabel: str) -> Figure:
    """Draw one labelled line per entry; the dict's keys are the legend."""
    fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for label, values in lines.items():
        ax.plot(np.asarray(values), label=label)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.grid(alpha=0.3)
    ax.legend()
    return fig
