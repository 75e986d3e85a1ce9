"""The trust boundary: what crosses comes back equal, everything else is named or refused."""

import contextlib
import enum
import json
import random
import struct

import ml_dtypes
import numpy as np
import pytest

from jaxercise import exhibits
from jaxercise.exhibits import BadMessage, Key, Leaf, Opaque, StandIn

DATA = {
    "numbers": [None, True, 3, -2.5, float("inf"), "text"],
    "tuple": (1, (2, [3])),
    3: np.arange(6, dtype=np.float32).reshape(2, 3),
    "scalar": np.float64(0.5),
    "empty": np.zeros((0, 4), np.int8),
    "short": np.array([1.5, -2], ml_dtypes.bfloat16),
    "raw": b"\x00\xff",
    "key": Key(7, typed=False),
    "step": StandIn("sleeper", {"first_s": 0.1}),
    "leaf": Leaf(2),
}


def equal(a, b) -> bool:
    if isinstance(a, np.ndarray | np.generic):
        return np.asarray(a).dtype == np.asarray(b).dtype and np.array_equal(a, b)
    if isinstance(a, dict):
        return list(a) == list(b) and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(equal, a, b))
    return a == b


def test_data_comes_back_equal_in_value_type_and_order():
    assert equal(exhibits.decode(exhibits.encode(DATA)), DATA)


def test_not_a_number_crosses():
    assert np.isnan(exhibits.decode(exhibits.encode(float("nan"))))


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (object(), "object"),
        (np.array([object()]), "an array of object"),
        (lambda: 0, "function"),
        (2**80, "an int beyond 64 bits"),
        (np.array(["a"]), "an array of <U1"),
        (np.array([1], ml_dtypes.int4), "an array of int4"),
        (np.broadcast_to(np.int8(1), (10**6, 10**6)), "an array too large to be sent"),
        (dict.fromkeys(range(10**6)), "a structure with too many parts"),
        (enum.Enum("Color", "RED", type=str).RED, "Color"),
        (enum.IntEnum("Level", "LOW").LOW, "Level"),
        (type("x" * 10**6, (), {})(), "x" * exhibits.MAX_TEXT),
    ],
)
def test_what_is_no_data_crosses_as_the_name_of_its_type(value, name):
    assert exhibits.decode(exhibits.encode(value)) == Opaque(name)


def test_subclasses_of_numbers_do_not_pass_as_numbers():
    class AlwaysRight(float):
        def __eq__(self, other):
            return True

        __hash__ = float.__hash__

    assert exhibits.decode(exhibits.encode(AlwaysRight(1))) == Opaque("AlwaysRight")


def test_a_structure_without_end_is_cut():
    endless: list = []
    endless.append(endless)
    assert "nested too deeply" in repr(exhibits.decode(exhibits.encode(endless)))


def test_long_text_is_cut():
    assert len(exhibits.decode(exhibits.encode("x" * 10**6))) == exhibits.MAX_TEXT


def test_damaged_messages_are_refused_or_harmless():
    message = exhibits.encode(DATA)
    rng = random.Random(0)
    for cut in range(0, len(message), 7):
        with pytest.raises(BadMessage):
            exhibits.decode(message[:cut])
    for _ in range(2000):
        damaged = bytearray(message)
        for _ in range(rng.randint(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        with contextlib.suppress(BadMessage):  # the only exception allowed
            exhibits.decode(bytes(damaged))


def test_claims_of_size_are_not_believed():
    header = b'{"array": 80, "dtype": "<f4", "shape": [99999999, 99999999]}'
    with pytest.raises(BadMessage):
        exhibits.decode(len(header).to_bytes(4, "little") + header + bytes(80))


def test_a_numpy_number_as_a_key_is_that_number():
    assert exhibits.decode(exhibits.encode({np.int64(3): 0.5})) == {3: 0.5}


def test_a_zero_dimensional_array_crosses():
    assert equal(exhibits.decode(exhibits.encode(np.array(2.5))), np.array(2.5))


@pytest.mark.parametrize(
    ("key", "arrives"),
    [
        ((1, "a", (None, np.int64(2))), (1, "a", (None, 2))),
        (b"raw", b"raw"),
        (2**80, Opaque("an int beyond 64 bits")),
        (object(), Opaque("object")),
        (frozenset((1,)), Opaque("frozenset")),
        (enum.IntEnum("Level", "LOW").LOW, Opaque("Level")),
        ((Key(3), 1), (Opaque("Key"), 1)),
    ],
)
def test_any_key_of_a_dict_arrives_as_one(key, arrives):
    assert exhibits.decode(exhibits.encode({key: 0.5})) == {arrives: 0.5}


def test_half_a_surrogate_pair_arrives_as_text_that_any_file_takes():
    broken = "a\ud800b"
    for value in (broken, {broken: broken}, Opaque(broken), StandIn(broken, {broken: broken})):
        repr(exhibits.decode(exhibits.encode(value))).encode()
    assert exhibits.decode(exhibits.encode(broken)) == "a?b"


def test_a_structure_that_holds_itself_many_times_is_cut():
    doubling: list = [0, 0]
    for _ in range(30):
        doubling = [doubling, doubling]
    message = exhibits.encode(doubling)
    assert len(message) < 100 * exhibits.MAX_PARTS and b"too many parts" in message


def test_what_is_larger_than_a_message_is_not_sent(monkeypatch):
    monkeypatch.setattr(exhibits, "MAX_MESSAGE_BYTES", 1000)
    for value in ([b"x" * 600] * 2, b"x" * 1000):
        with pytest.raises(BadMessage, match="more than can be sent"):
            exhibits.encode(value)


@pytest.mark.parametrize(
    "header",
    [
        {"float": "1.5"},
        {"float": "infinity"},
        {"float": 1.5},
        {"dict": [[{"list": []}, 1]]},
        {"dict": [[{"array": 0, "dtype": "|i1", "shape": [0]}, 1]]},
        {"dict": [[1]]},
        {"dict": 3},
        {"key": "7", "typed": True},
        {"key": 7},
        {"leaf": 1.5},
        {"leaf": 10**30},
        {"opaque": 3},
        {"standin": "step", "settings": {"a": []}},
        {"standin": "step", "settings": []},
        {"bytes": True},
        {"array": 8, "dtype": "|O8", "shape": [1]},
        {"array": 0, "dtype": "<f4", "shape": [0, -1]},
        {"array": 0, "dtype": "<f9", "shape": [0]},
        {"array": 0, "dtype": "<f4", "shape": [0.0]},
        {"unknown": 1},
        {},
        [],
        10**30,
    ],
)
def test_headers_that_are_not_ours_are_refused(header):
    text = json.dumps(header).encode()
    with pytest.raises(BadMessage, match=r"damaged|the message holds an? |where"):
        exhibits.decode(struct.pack("<I", len(text)) + text + bytes(8))


def test_a_header_beyond_all_measure_is_not_read(monkeypatch):
    monkeypatch.setattr(exhibits, "MAX_HEADER_BYTES", 100)
    with pytest.raises(BadMessage, match="header is larger"):
        exhibits.decode(struct.pack("<I", 200) + b"1" + b" " * 199)
    with pytest.raises(BadMessage, match="more than can be sent"):
        exhibits.encode("x" * 200)


def test_a_dict_with_an_entry_twice_is_a_dict():
    text = json.dumps({"dict": [[1, 2], [1, 3]]}).encode()
    assert exhibits.decode(struct.pack("<I", len(text)) + text) == {1: 3}
