"""Values in a line of text each, for an instructor's terminal: arrays by shape, range and a few
entries, and whatever a student chose made harmless and short.

It must not know checks or where a value came from, nor import JAX.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import islice
from types import ModuleType
from typing import Any

import numpy as np

from jaxercise.exhibits import BFLOAT16, Key, Leaf, Opaque, StandIn
from jaxercise.student import Optimizer, Program, Student

Row = tuple[str, str]  # a label and a summary

MAX_ROWS = 12  # leaves shown of one value
MAX_ENTRIES = 5  # entries shown of one array
MAX_TEXT = 200  # characters shown of a string
MAX_DEPTH = 8
PLAIN = (bool, int, float, complex, str, type(None))


def harmless(text: str, most: int = 2_000) -> str:
    """One line that does nothing to a terminal: whatever is not printable is spelt out.

    That takes in control characters, so escape sequences, and what turns the direction of writing
    or is invisible; half a surrogate pair, too, which no terminal could be sent.
    """
    kept = text[:most] + ("…" if len(text) > most else "")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in kept)


def harmless_lines(text: str) -> list[str]:
    """The same for text of several lines."""
    return [harmless(line) for line in islice(text.splitlines(), MAX_ROWS)]


def rows(label: str, value: Any, most: int = MAX_ROWS) -> list[Row]:
    """A value as labelled lines: one, or one for each leaf if it is nested data."""
    found = list(islice(_leaves(label, value, 0), most + 1))
    if len(found) > most:
        found[-1] = (label, "… and more")
    return found


def _leaves(label: str, value: Any, depth: int) -> Iterator[Row]:
    parts = _parts(value) if depth < MAX_DEPTH else None
    if not parts:
        yield label, summary(value)
        return
    for place, part in parts:
        yield from _leaves(label + place, part, depth + 1)


def _parts(value: Any) -> list[tuple[str, Any]] | None:
    """What nested data consists of, and where; None for what is shown on one line."""
    if isinstance(value, Mapping):
        some = islice(value.items(), MAX_ROWS + 1)
        return [(f"[{_short(key)}]", part) for key, part in some]
    if isinstance(value, list | tuple):
        if all(isinstance(part, PLAIN) for part in value):
            return None
        return [(f"[{n}]", part) for n, part in enumerate(value[: MAX_ROWS + 1])]
    if is_dataclass(value) and not isinstance(value, Key | StandIn | Opaque | Leaf | type):
        parts = [(f".{f.name}", getattr(value, f.name)) for f in fields(value)]
        return [(place, part) for place, part in parts if is_data(part)]
    return None


def summary(value: Any) -> str:
    """One value on one line."""
    if isinstance(value, np.ndarray | np.generic):
        return array(np.asarray(value))
    if isinstance(value, Key):
        return f"key({value.seed})" if value.typed else f"PRNGKey({value.seed})"
    if isinstance(value, StandIn):
        given = ", ".join(f"{name}={_short(part)}" for name, part in value.settings.items())
        return harmless(f"stand-in {value.name}({given})", MAX_TEXT)
    if isinstance(value, Opaque):
        return f"an object of type {harmless(value.type_name, MAX_TEXT)}"
    if isinstance(value, Leaf):
        return f"output {value.index} of the program"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if isinstance(value, PLAIN):
        return _short(value, MAX_TEXT)
    if isinstance(value, list | tuple | Mapping):
        some = islice(value, MAX_ROWS)
        inside = ", ".join(_short(part) for part in some)
        more = ", …" if len(value) > MAX_ROWS else ""
        return f"{type(value).__name__} of {len(value)}: {inside}{more}".removesuffix(": ")
    return harmless(f"a {type(value).__name__}", MAX_TEXT)


def array(value: np.ndarray) -> str:
    """An array's dtype, shape, range and first entries."""
    what = f"{value.dtype} {value.shape}"
    if not value.size:
        return what
    few = ", ".join(_number(entry) for entry in value.flat[:MAX_ENTRIES])
    few += ", …" if value.size > MAX_ENTRIES else ""
    if value.dtype.kind == "b":
        return f"{what}, {int(value.sum())} of {value.size} true: {few}"
    if value.dtype.kind not in "iuf" and value.dtype != BFLOAT16:
        return f"{what}: {harmless(few, MAX_TEXT)}"
    finite = value[np.isfinite(value)]
    said = []
    if finite.size and value.size > 1:
        said.append(f"{_number(finite.min())} to {_number(finite.max())}")
    if finite.size < value.size:
        said.append(f"{value.size - finite.size} of {value.size} not finite")
    return f"{', '.join([what, *said])}: {few}"


def _number(entry: Any) -> str:
    entry = entry.item() if isinstance(entry, np.generic) else entry
    return f"{float(entry):.6g}" if isinstance(entry, float) else harmless(str(entry), 40)


def _short(value: Any, most: int = 40) -> str:
    """A number, a string or the like as Python writes it, cut."""
    if type(value) is float:
        return f"{value:.10g}" if math.isfinite(value) else repr(value)  # a clock's time is long
    if isinstance(value, str):
        return harmless(repr(value[: most + 1]), most)
    if isinstance(value, int) and abs(value) > 10**most:
        return "an int of many digits"
    return harmless(repr(value), most) if isinstance(value, PLAIN) else harmless(summary(value))


def is_data(value: Any) -> bool:
    """Whether a variable of a check is worth showing: data, and neither code nor what is asked."""
    tools = (ModuleType, type, Student, Program, Optimizer)
    return not (callable(value) or isinstance(value, tools))
