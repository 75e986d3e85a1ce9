"""What the visible checks of several exercises need: digits, and whether numbers agree."""

from functools import cache
from typing import Any

import jax
import numpy as np
from mlp import load_mnist

# Read once. All else is made anew for each check, for an answer may change or give away what it
# gets, and the next one, which is right, would find it spoilt.
all_digits = cache(load_mnist)


def some_digits() -> tuple[jax.Array, jax.Array]:
    """The first 32 held-out digits, ``(32, 784)``, and their labels, ``(32,)``."""
    digits = all_digits()
    return digits.x_valid[:32], digits.y_valid[:32]


def agree(found: Any, expected: Any, rtol: float = 1e-3, atol: float = 1e-4) -> bool:
    """Whether two arrays have one shape and nearly the same numbers."""
    found, expected = np.asarray(found), np.asarray(expected)
    return found.shape == expected.shape and np.allclose(found, expected, rtol, atol)


def nested_alike(found: Any, like: Any) -> bool:
    """Whether two trees hold leaves at the same places; the kind of dict does not matter."""
    one, other = ({path for path, _ in jax.tree.leaves_with_path(tree)} for tree in (found, like))
    return one == other


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape of an array; lists and other objects have none.

    Raises:
        AssertionError: it is no array.
    """
    assert hasattr(value, "shape"), f"An array is wanted here, and it is a {type(value).__name__}."
    return tuple(value.shape)
