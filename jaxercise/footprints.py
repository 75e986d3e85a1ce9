"""What a call leaves behind in a student's process: changed variables, leaked tracers.

It compares and names; it must not know checks, and it calls nothing of the student's.
"""

import random
from typing import Any

import jax
import numpy as np

from jaxercise import exhibits

BIG_ARRAY = 2**16  # elements; larger JAX arrays are compared by identity, for they cannot change
IPYTHON_NAMES = frozenset({"In", "Out", "_ih", "_oh", "_dh", "get_ipython", "exit", "quit"})


def as_numpy(leaf: Any) -> np.ndarray | None:
    """A JAX array as NumPy, a typed key as the numbers it holds; None for anything else."""
    if isinstance(leaf, jax.core.Tracer) or not isinstance(leaf, jax.Array):
        return None
    return np.asarray(jax.random.key_data(leaf) if is_typed_key(leaf) else leaf)


def is_typed_key(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def digest(value: Any, depth: int = 0) -> Any:
    """Comparable copy of plain data; functions, modules and other objects are passed over."""
    if depth > exhibits.MAX_DEPTH:
        return None
    if isinstance(value, jax.core.Tracer):
        return ("tracer",)
    if isinstance(value, jax.Array | np.ndarray):
        if isinstance(value, jax.Array) and value.is_deleted():
            return ("deleted",)
        if isinstance(value, jax.Array) and value.size > BIG_ARRAY:
            return id(value)
        array = as_numpy(value) if isinstance(value, jax.Array) else value
        assert array is not None  # a JAX array that is no tracer
        return (str(array.dtype), array.shape, array.tobytes())
    if isinstance(value, dict):  # other mappings may read files: a closed npz raises here
        items = list(dict.items(value))
        return tuple((str(key), digest(child, depth + 1)) for key, child in items)
    if isinstance(value, list | tuple):
        return tuple(digest(child, depth + 1) for child in value)
    if isinstance(value, bool | int | float | str | bytes | None):
        return value if value == value else "nan"
    return None


def outside(namespace: dict) -> dict[str, Any]:
    """Digest of the student's variables that hold data, and of the global random generators."""
    held = {
        f"the variable `{name}`": digest(value)
        for name, value in list(namespace.items())
        if not name.startswith("__") and name not in IPYTHON_NAMES
    }
    held["NumPy's global random state"] = digest(np.random.get_state(legacy=True))
    held["Python's global random state"] = hash(random.getstate())
    return held


def changes(before: tuple[Any, dict], after: tuple[Any, dict]) -> list[str]:
    """What differs between two pairs of the arguments' digest and ``outside``, in words."""
    names = before[1].keys() | after[1].keys()
    changed = sorted(name for name in names if before[1].get(name) != after[1].get(name))
    return ["arguments", *changed] if before[0] != after[0] else changed


def leaked(namespace: dict) -> list[str]:
    """Names of variables that hold a tracer after tracing is over."""
    return sorted(
        name
        for name, value in list(namespace.items())
        if isinstance(value, list | tuple | dict | jax.core.Tracer)
        and any(isinstance(leaf, jax.core.Tracer) for leaf in _safe_leaves(value))
    )


def _safe_leaves(value: Any) -> list:
    try:
        return jax.tree.leaves(value)
    except Exception:  # dict keys that cannot be sorted, say: nothing of ours to look into
        return []
