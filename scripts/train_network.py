"""Write source/intro-to-jax/trained.npz: the lesson's network, trained for a few epochs.

Run it with ``python scripts/train_network.py``. Exercise 2 looks at this network's gradients, so
training stops early: after four epochs it still misreads a few of the first 32 held-out digits,
and its per-example gradient norms range from 0.0005 to 32. On another machine the
last bits of the weights may differ.
"""

import sys
from pathlib import Path

import jax
import numpy as np

FOLDER = Path(__file__).parents[1] / "source" / "intro-to-jax"
sys.path.insert(0, str(FOLDER))

import mlp  # noqa: E402

TARGET = FOLDER / "trained.npz"
SEED = 0
EPOCHS = 4
BATCH_SIZE = 50


def train_network(seed: int = SEED, epochs: int = EPOCHS) -> mlp.Params:
    """Train on the 4,000 training digits; start and order come from the seed alone."""
    digits = mlp.load_mnist()
    start_key, train_key = jax.random.split(jax.random.key(seed))
    return mlp.train(
        mlp.init_params(start_key),
        lambda params, x, y, key: mlp.loss_fn(params, x, y),
        digits.x_train,
        digits.y_train,
        train_key,
        epochs=epochs,
        batch_size=BATCH_SIZE,
    )


def as_arrays(params: mlp.Params) -> dict[str, np.ndarray]:
    """Flatten to ``layer1_w``, ``layer1_b``, ... as float32 NumPy arrays."""
    return {
        f"{layer}_{part}": np.asarray(array, np.float32)
        for layer, parts in params.items()
        for part, array in parts.items()
    }


if __name__ == "__main__":
    params = train_network()
    np.savez_compressed(TARGET, **as_arrays(params))
    digits = mlp.load_mnist()
    share = mlp.accuracy(mlp.forward(params, digits.x_valid), digits.y_valid)
    print(f"wrote {TARGET.name}: {TARGET.stat().st_size:,} bytes, reads {share:.1%} of digits")
