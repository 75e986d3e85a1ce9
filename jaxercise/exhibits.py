"""Everything that crosses between a student's process and the grader, encoded and decoded.

This is the trust boundary: only None, numbers, strings, arrays, keys and named stand-ins, in
lists, tuples and dicts, have a form here. Nothing is pickled and nothing is imported from what
arrives. It must not know JAX, pytest or notebooks.
"""

import json
import math
import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MAX_MESSAGE_BYTES = 256 * 2**20  # per-example gradients of the lesson's net: 0.94 MB an example
MAX_DEPTH = 40  # the deepest pytree of an exercise has 4 levels
MAX_TEXT = 2_000  # characters kept of a string from a student's process
# bool, signed, unsigned, floating, complex; little-endian or of one byte
PLAIN_DTYPE = re.compile(r"[<|][biufc]\d{1,2}")


@dataclass(frozen=True)
class Key:
    """A PRNG key named by its seed: ``jax.random.key(seed)``, or ``PRNGKey(seed)`` if not typed."""

    seed: int
    typed: bool = True


@dataclass(frozen=True)
class StandIn:
    """A function or optimizer that the student's side builds from its name (see standins)."""

    name: str
    settings: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Opaque:
    """What an answer returned that is no data: only the name of its type crosses."""

    type_name: str


@dataclass(frozen=True)
class Leaf:
    """The place of a program's output number ``index`` in the value that the program returns."""

    index: int


class BadMessage(ValueError):
    """Bytes that are not a message of ours."""


def encode(value: Any, as_array: Callable[[Any], np.ndarray | None] = lambda leaf: None) -> bytes:
    """Turn plain data into bytes: length of the header, JSON header, raw arrays.

    Args:
        value: nested data. What has no form here crosses as ``Opaque`` with its type's name.
        as_array: turns a foreign array (a ``jax.Array``) into NumPy, or returns None.
    """
    buffers: list[bytes] = []
    header = json.dumps(_pack(value, buffers, as_array, 0), allow_nan=False).encode()
    return b"".join([struct.pack("<I", len(header)), header, *buffers])


def _pack(value: Any, buffers: list[bytes], as_array: Callable, depth: int) -> Any:
    if depth > MAX_DEPTH:
        return {"opaque": "a structure nested too deeply"}
    if value is None or type(value) in (bool, str):
        return value[:MAX_TEXT] if isinstance(value, str) else value
    if type(value) is int:
        return value if abs(value) < 2**63 else {"opaque": "an int beyond 64 bits"}
    if type(value) is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, bytes):
        return {"bytes": _buffer(value, buffers)}
    if isinstance(value, Key):
        return {"key": value.seed, "typed": value.typed}
    if isinstance(value, StandIn):
        return {"standin": value.name, "settings": dict(value.settings)}
    if isinstance(value, Leaf):
        return {"leaf": value.index}
    if isinstance(value, Opaque):
        return {"opaque": value.type_name[:MAX_TEXT]}

    def inner(item: Any) -> Any:
        return _pack(item, buffers, as_array, depth + 1)

    if isinstance(value, Mapping):
        names = [k.item() if isinstance(k, np.generic) else k for k in value]  # np.int64(3) is 3
        return {"dict": [[inner(k), inner(v)] for k, v in zip(names, value.values())]}
    if isinstance(value, list):
        return {"list": [inner(item) for item in value]}
    if isinstance(value, tuple):
        return {"tuple": [inner(item) for item in value]}
    array = np.asarray(value) if isinstance(value, np.ndarray | np.generic) else as_array(value)
    if array is None:
        return {"opaque": type(value).__name__}
    array = np.asarray(array, dtype=array.dtype.newbyteorder("<"))
    if not PLAIN_DTYPE.fullmatch(array.dtype.str):
        return {"opaque": f"an array of {array.dtype}"}
    data = _buffer(array.tobytes(), buffers)
    return {"array": data, "dtype": array.dtype.str, "shape": list(array.shape)}


def _buffer(data: bytes, buffers: list[bytes]) -> int:
    buffers.append(data)
    return len(data)


def decode(message: bytes) -> Any:
    """Rebuild what ``encode`` wrote.

    Raises:
        BadMessage: the bytes say something else, or claim more than they hold.
    """
    if len(message) > MAX_MESSAGE_BYTES:
        raise BadMessage("the message is larger than the limit")
    try:
        (size,) = struct.unpack_from("<I", message)
        header = json.loads(message[4 : 4 + size])
        value, end = _unpack(header, memoryview(message), 4 + size, 0)
    except BadMessage:
        raise
    except (struct.error, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadMessage("the message is damaged") from error
    if end != len(message):
        raise BadMessage("the message holds more than its header says")
    return value


def _unpack(node: Any, message: memoryview, at: int, depth: int) -> tuple[Any, int]:
    if depth > MAX_DEPTH + 1:  # what lies deeper was packed as Opaque
        raise BadMessage("the message is nested too deeply")
    if not isinstance(node, dict):
        if isinstance(node, list):
            raise BadMessage("the message holds a bare list")
        return node, at
    if "float" in node:
        return float(node["float"]), at
    if "key" in node:
        return Key(int(node["key"]), bool(node["typed"])), at
    if "standin" in node:
        return StandIn(str(node["standin"]), dict(node["settings"])), at
    if "leaf" in node:
        return Leaf(int(node["leaf"])), at
    if "opaque" in node:
        return Opaque(str(node["opaque"])), at
    if "bytes" in node:
        data, at = _take(message, at, node["bytes"])
        return bytes(data), at
    if "array" in node:
        if not PLAIN_DTYPE.fullmatch(str(node["dtype"])):
            raise BadMessage("the message holds an array of an unknown kind")
        dtype = np.dtype(node["dtype"])
        data, at = _take(message, at, node["array"])
        shape = [int(n) for n in node["shape"]]
        if min(shape, default=0) < 0:
            raise BadMessage("the message holds an array of negative size")
        return np.frombuffer(data, dtype=dtype).reshape(shape).copy(), at
    if "dict" in node:
        entries = {}
        for key_node, value_node in node["dict"]:
            key, at = _unpack(key_node, message, at, depth + 1)
            entries[key], at = _unpack(value_node, message, at, depth + 1)
        return entries, at
    items = []
    for child in node["list"] if "list" in node else node["tuple"]:
        item, at = _unpack(child, message, at, depth + 1)
        items.append(item)
    return (items if "list" in node else tuple(items)), at


def _take(message: memoryview, at: int, size: Any) -> tuple[memoryview, int]:
    if not isinstance(size, int) or size < 0 or at + size > len(message):
        raise BadMessage("the message claims more than it holds")
    return message[at : at + size], at + size


def fill(template: Any, leaves: list[np.ndarray]) -> Any:
    """Put a program's outputs at the places that ``Leaf`` marks in the template."""
    if isinstance(template, Leaf):
        return leaves[template.index]
    if isinstance(template, dict):
        return {key: fill(child, leaves) for key, child in template.items()}
    if isinstance(template, list | tuple):
        return type(template)(fill(child, leaves) for child in template)
    return template
