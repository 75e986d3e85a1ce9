"""The trust boundary: what crosses comes back equal, everything else is named or refused."""

import contextlib
import random

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
