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

import ml_dtypes
import numpy as np

MAX_MESSAGE_BYTES = 256 * 2**20  # per-example gradients of the lesson's net: 0.94 MB an example
MAX_DEPTH = 40  # the deepest pytree of an exercise has 4 levels
MAX_TEXT = 2_000  # characters kept of a string from a student's process
MAX_PARTS = 200_000  # items in all lists, tuples and dicts of a message
MAX_HEADER_BYTES = 32 * 2**20  # 200,000 numbers need some 6 MB
MAX_INT = 2**63 - 1
# bool, signed, unsigned, floating, complex; little-endian or of one byte
PLAIN_DTYPE = re.compile(r"[<|][biufc]\d{1,2}")
# JAX has it and NumPy does not; in its arrays, NumPy tells it by the type only
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


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

    Raises:
        BadMessage: it is larger than ``decode`` takes.
    """
    buffers: list[bytes] = []
    header = json.dumps(_pack(value, buffers, as_array, [MAX_PARTS], 0), allow_nan=False).encode()
    size = 4 + len(header) + sum(map(len, buffers))
    if len(header) > MAX_HEADER_BYTES or size > MAX_MESSAGE_BYTES:
        raise BadMessage("it is more than can be sent")
    return b"".join([struct.pack("<I", len(header)), header, *buffers])


def _pack(value: Any, buffers: list[bytes], as_array: Callable, room: list[int], depth: int) -> Any:
    """One value as JSON; its arrays go to ``buffers``. ``room[0]`` more parts may be packed."""
    if depth > MAX_DEPTH:
        return {"opaque": "a structure nested too deeply"}
    if value is None or type(value) is bool:
        return value
    if type(value) is str:
        return value[:MAX_TEXT]
    if type(value) is int:
        return value if abs(value) <= MAX_INT else {"opaque": "an int beyond 64 bits"}
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
    if isinstance(value, Mapping | list | tuple):
        parts = 2 * len(value) if isinstance(value, Mapping) else len(value)
        if parts > room[0]:
            return {"opaque": "a structure with too many parts"}
        room[0] -= parts

    def inner(item: Any) -> Any:
        return _pack(item, buffers, as_array, room, depth + 1)

    if isinstance(value, Mapping):
        return {"dict": [[inner(_as_key(k)), inner(v)] for k, v in value.items()]}
    if isinstance(value, list):
        return {"list": [inner(item) for item in value]}
    if isinstance(value, tuple):
        return {"tuple": [inner(item) for item in value]}
    array = np.asarray(value) if isinstance(value, np.ndarray | np.generic) else as_array(value)
    if array is None:
        return {"opaque": type(value).__name__[:MAX_TEXT]}
    if array.nbytes > MAX_MESSAGE_BYTES:  # perhaps a small array broadcast: not to be copied
        return {"opaque": "an array too large to be sent"}
    array = np.asarray(array, dtype=array.dtype.newbyteorder("<"))
    dtype = BFLOAT16.name if array.dtype == BFLOAT16 else array.dtype.str
    if not _is_sent(dtype):
        return {"opaque": f"an array of {array.dtype}"[:MAX_TEXT]}
    data = _buffer(array.tobytes(), buffers)
    return {"array": data, "dtype": dtype, "shape": list(array.shape)}


def _is_sent(dtype: str) -> bool:
    return dtype == BFLOAT16.name or PLAIN_DTYPE.fullmatch(dtype) is not None


def _as_key(key: Any) -> Any:
    """A dict's key as one that can be a key when decoded: np.int64(3) is 3, an object is Opaque."""
    if isinstance(key, np.generic):
        key = key.item()
    if key is None or type(key) in (bool, int, float, str, bytes):
        return key
    return tuple(map(_as_key, key)) if type(key) is tuple else Opaque(type(key).__name__)


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
        if size > MAX_HEADER_BYTES:
            raise BadMessage("the message's header is larger than the limit")
        header = json.loads(message[4 : 4 + size])
        value, end = _unpack(header, memoryview(message), 4 + size, 0)
    except BadMessage:
        raise
    except (
        struct.error,
        ValueError,
        KeyError,
        TypeError,  # such as a dict's key that is a list
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise BadMessage("the message is damaged") from error
    if end != len(message):
        raise BadMessage("the message holds more than its header says")
    return value


def _unpack(node: Any, message: memoryview, at: int, depth: int) -> tuple[Any, int]:
    if depth > MAX_DEPTH + 1:  # what lies deeper was packed as Opaque
        raise BadMessage("the message is nested too deeply")
    if not isinstance(node, dict):
        return _plain(node), at
    if "float" in node:
        if node["float"] not in ("nan", "inf", "-inf"):
            raise BadMessage("the message holds a float of an unknown kind")
        return float(node["float"]), at
    if "key" in node:
        return Key(_integer(node["key"]), bool(node["typed"])), at
    if "standin" in node:
        settings = {_text(name): _plain(value) for name, value in node["settings"].items()}
        return StandIn(_text(node["standin"]), settings), at
    if "leaf" in node:
        return Leaf(_integer(node["leaf"])), at
    if "opaque" in node:
        return Opaque(_text(node["opaque"])), at
    if "bytes" in node:
        data, at = _take(message, at, node["bytes"])
        return bytes(data), at
    if "array" in node:
        if not _is_sent(_text(node["dtype"])):
            raise BadMessage("the message holds an array of an unknown kind")
        dtype = BFLOAT16 if node["dtype"] == BFLOAT16.name else np.dtype(node["dtype"])
        data, at = _take(message, at, node["array"])
        shape = [_integer(n) for n in node["shape"]]
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


def _plain(node: Any) -> Any:
    """A JSON value that stands for itself: None, a number or a string."""
    if isinstance(node, str):
        return _text(node)
    if node is None or isinstance(node, bool | float):
        return node
    return _integer(node)


def _text(node: Any) -> str:
    """A string that any file takes: JSON can hold half a surrogate pair, UTF-8 cannot."""
    if not isinstance(node, str):
        raise BadMessage("the message holds something else where text should be")
    return node.encode(errors="replace").decode()


def _integer(node: Any) -> int:
    if type(node) is not int or abs(node) > MAX_INT:
        raise BadMessage("the message holds something else where a number should be")
    return node


def _take(message: memoryview, at: int, size: Any) -> tuple[memoryview, int]:
    if _integer(size) < 0 or at + size > len(message):
        raise BadMessage("the message claims more than it holds")
    return message[at : at + size], at + size


# What a reply to each request holds, by the request's "do"; see probe and runner
REPLIES: dict[str, dict[str, type]] = {
    "call": {"value": object, "changed": list, "logs": list},
    "trace": {"program": bytes, "template": object, "leaked": list},
    "vjp": {"value": object},
    "value": {"value": object},
    "optimizer_init": {"value": list},
    "optimizer_update": {"value": tuple, "changed": list},
    "optimizer_trace": {
        "init": bytes,
        "init_template": object,
        "update": bytes,
        "update_template": object,
        "leaked": list,
    },
}
PROGRAM_REPLIES: dict[str, dict[str, type]] = {
    "run": {"leaves": list},
    "run_each": {"results": list},
    "vjp": {"leaves": list},
    "fingerprint": {"fingerprint": str},
}
REFUSAL = {"refused": str, "text": str}


def is_reply(reply: Any, parts: Mapping[str, type]) -> bool:
    """Whether a reply has the parts that its request asks for, or is a refusal."""
    if not isinstance(reply, dict):
        return False
    parts = REFUSAL if "refused" in reply else parts
    return all(name in reply and isinstance(reply[name], kind) for name, kind in parts.items())


def fill(template: Any, leaves: list[np.ndarray]) -> Any:
    """Put a program's outputs at the places that ``Leaf`` marks in the template."""
    if isinstance(template, Leaf):
        there = 0 <= template.index < len(leaves)
        return leaves[template.index] if there else Opaque("an array that is not there")
    if isinstance(template, dict):
        return {key: fill(child, leaves) for key, child in template.items()}
    if isinstance(template, list | tuple):
        return type(template)(fill(child, leaves) for child in template)
    return template
