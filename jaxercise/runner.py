"""Runs exported programs, away from the student's process and away from the checks.

It holds programs and inputs only. It must not know checks, points or expected values: what a
program can do to it costs that program's checks alone.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import jax
import jax.export  # a submodule that `import jax` alone does not load
import numpy as np
from jax import dtypes
from jax.export import Exported

from jaxercise import programs
from jaxercise.exhibits import Key


class Refused(Exception):
    """A program that is not compiled; words for the student."""


@dataclass(frozen=True)
class Loaded:
    """A program read back, with its compiled forms."""

    exported: Exported
    run: Callable
    pull_back: Callable


def answer(request: Mapping[str, Any], loaded: dict[bytes, Loaded]) -> dict:
    """Run, differentiate or fingerprint a program.

    Args:
        request: ``{"do": "run" | "run_each" | "vjp" | "fingerprint", "program": bytes,
            "args": [...], "at": int, "values": [...], "cotangents": [...]}``; ``values`` stand one
            after the other in the place ``at`` of the arguments.
        loaded: programs read so far, by their bytes; this one is added.

    Returns:
        Plain data; ``{"refused": "program", "text": ...}`` if the program was not compiled, with
        "failed" in place of "program" if that or running it failed. The text completes "The
        compiled function could not be run: ...".
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
            return {"leaves": _outputs(program, inputs)}
        if request["do"] == "run_each":
            before, after = inputs[: request["at"]], inputs[request["at"] + 1 :]
            values = [_argument(value) for value in request["values"]]
            return {"results": [_outputs(program, [*before, v, *after]) for v in values]}
        given = iter(request["cotangents"])  # for the first outputs; zeros for the others
        cotangents = [_cotangent(aval, given) for aval in program.exported.out_avals]
        return {"leaves": [_gradient(g) for g in program.pull_back(*inputs, *cotangents)]}
    except Refused as refusal:
        return {"refused": "program", "text": str(refusal)}
    except Exception as error:
        return {"refused": "failed", "text": f"JAX raised {type(error).__name__}"}


def _outputs(program: Loaded, inputs: list) -> list[np.ndarray]:
    return [np.asarray(value) for value in jax.tree.leaves(program.run(*inputs))]


def load(data: bytes) -> Loaded:
    """Read a program back; nothing is compiled before it is asked for.

    Raises:
        Refused: it may not be compiled, see ``programs``.
    """
    if len(data) > programs.MAX_PROGRAM_BYTES:
        raise Refused(programs.TOO_LARGE)
    exported = jax.export.deserialize(bytearray(data))
    why = programs.refused(exported)
    if why is not None:
        raise Refused(why)
    derivative = cache(lambda: jax.jit(exported.vjp().call))  # most programs need none
    return Loaded(exported, jax.jit(exported.call), lambda *values: derivative()(*values))


def fingerprint(exported: Exported) -> str:
    """Hash of a program's operations; the source lines they came from do not count."""
    return hashlib.sha256(programs.operations(exported).encode()).hexdigest()


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
    """The next cotangent given for an output, in its dtype; zeros after the last; integers have
    none. A result in 16 bits has lost its marks elsewhere and keeps its gradient."""
    if not dtypes.issubdtype(aval.dtype, np.inexact):
        return np.zeros(aval.shape, dtypes.float0)
    return np.asarray(next(given, np.zeros(aval.shape))).astype(aval.dtype)
