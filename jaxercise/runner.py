"""Runs exported programs, away from the student's process and away from the checks.

It holds programs and inputs only. It must not know checks, points or expected values: what a
program can do to it costs that program's checks alone.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import jax
import jax.export  # a submodule that `import jax` alone does not load
import numpy as np
from jax import dtypes
from jax.export import Exported

from jaxercise.exhibits import Key

LOCATION = re.compile(r"\s*loc\([^()]*\)")  # where an operation stood in the source


@dataclass(frozen=True)
class Loaded:
    """A program read back, with its compiled forms."""

    exported: Exported
    run: Callable
    pull_back: Callable


def answer(request: Mapping[str, Any], loaded: dict[bytes, Loaded]) -> dict:
    """Run, differentiate or fingerprint a program.

    Args:
        request: ``{"do": "run" | "vjp" | "fingerprint", "program": bytes, "args": [...],
            "cotangents": [...]}``.
        loaded: programs read so far, by their bytes; this one is added.
    """
    try:
        data = request["program"]
        if data not in loaded:
            loaded[data] = load(data)
        program = loaded[data]
        if request["do"] == "fingerprint":
            return {"fingerprint": fingerprint(program.exported)}
        inputs = [_argument(value) for value in request["args"]]
        if request["do"] == "run":
            return {"leaves": [np.asarray(leaf) for leaf in program.run(*inputs)]}
        given = iter(request["cotangents"])  # for the first outputs; zeros for the others
        cotangents = [_cotangent(aval, given) for aval in program.exported.out_avals]
        return {"leaves": [_gradient(g) for g in program.pull_back(*inputs, *cotangents)]}
    except Exception as error:
        return {"refused": "program", "text": type(error).__name__}


def load(data: bytes) -> Loaded:
    exported = jax.export.deserialize(bytearray(data))
    derivative = cache(lambda: jax.jit(exported.vjp().call))  # most programs need none
    return Loaded(exported, jax.jit(exported.call), lambda *values: derivative()(*values))


def fingerprint(exported: Exported) -> str:
    """Hash of a program's operations; the source lines they came from do not count."""
    lines = str(exported.mlir_module()).splitlines()
    operations = [LOCATION.sub("", line) for line in lines if not line.startswith("#loc")]
    return hashlib.sha256("\n".join(operations).encode()).hexdigest()


def _argument(value: Any) -> Any:
    if isinstance(value, Key):
        return jax.random.key(value.seed) if value.typed else jax.random.PRNGKey(value.seed)
    return value


def _gradient(value: Any) -> np.ndarray:
    """Integers and keys have no gradient: zeros stand in their place."""
    if value.dtype == dtypes.float0:
        return np.zeros(value.shape, np.float32)
    return np.asarray(value)


def _cotangent(aval: Any, given: Iterator) -> Any:
    """The next cotangent given for an output, zeros after the last; integers have none."""
    if not dtypes.issubdtype(aval.dtype, np.inexact):
        return np.zeros(aval.shape, dtypes.float0)
    return next(given, np.zeros(aval.shape, aval.dtype))
