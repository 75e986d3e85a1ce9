"""Assertions that checks of any JAX exercise share: closeness, structure, purity.

Messages are for students: what was seen, what the contract says. No expected value is told.
It must not import JAX or know a particular exercise.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxercise.exhibits import BFLOAT16, Key, Opaque
from jaxercise.student import Optimizer, Student

# Values that two right programs compute in another order differ by a few units in the last
# place; the corpus's right answers agree to 2e-6 of the largest entry.
SAME_RTOL = 1e-4
# An eager call and its compiled twin are the same arithmetic, fused: measured below 3e-6.
EAGER_RTOL = 1e-4

Same = Callable[[np.ndarray, np.ndarray, float], bool]
typed_key = Key


class Mistake(AssertionError):
    """A check failed, and what was seen is what one known mistake makes.

    Attributes:
        mistake: its name, ``wrong-sign``: for counting, and for the tests of the checks.
    """

    def __init__(self, mistake: str, words: str):
        super().__init__(words)
        self.mistake = mistake


def recognise(seen: Any, mistake: str, words: str) -> None:
    """Once a check has failed: say which mistake it was, if ``seen`` is what that one makes.

    Where several mistakes would look the same, or the evidence is thin, the check says what it saw
    and names none.

    Raises:
        Mistake: with these words for the student.
    """
    if seen:
        raise Mistake(mistake, words)


def raw_key(seed: int) -> Key:
    """The old kind of key, ``jax.random.PRNGKey(seed)``."""
    return Key(seed, typed=False)


def kind_of(value: Any) -> str:
    """What a value is, in words: "a tuple of 2", "an array of shape (3, 10)"."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    if isinstance(value, Opaque):
        return f"an object of type {value.type_name}"
    if isinstance(value, list | tuple | dict):
        return f"a {type(value).__name__} of {len(value)}"
    return "None" if value is None else f"a {type(value).__name__}"


def is_floating(array: np.ndarray) -> bool:
    """Whether an array holds floating-point numbers, of 16 bits of either kind or of more."""
    return array.dtype.kind == "f" or array.dtype == BFLOAT16


def is_real(array: np.ndarray) -> bool:
    """Whether an array holds real numbers: floating-point or integers, no truth values."""
    return array.dtype.kind in "iu" or is_floating(array)


def as_array(value: Any, what: str) -> np.ndarray:
    """Read an answer as a numeric array; lists of numbers count, other objects do not."""
    if isinstance(value, bool | int | float):
        return np.asarray(value)
    if isinstance(value, list | tuple) and value:
        parts = [as_array(part, what) for part in value]
        if len({part.shape for part in parts}) == 1:
            return np.stack(parts)
    assert isinstance(value, np.ndarray), f"{what} should be an array, and it is {kind_of(value)}."
    return value


def float_array(value: Any, what: str, shape: tuple[int, ...]) -> np.ndarray:
    """Read an answer as a finite real array of the given shape, in float64."""
    array = as_array(value, what)
    assert array.shape == shape, f"{what} should have shape {shape}, and it has {array.shape}."
    assert is_real(array), f"{what} should hold real numbers, and it holds {array.dtype}."
    array = array.astype(np.float64)
    assert np.isfinite(array).all(), f"{what} holds values that are not finite (nan or inf)."
    return array


def number(value: Any, what: str) -> float:
    """Read an answer as one finite real number; a 0-d or one-element array counts."""
    if isinstance(value, np.ndarray) and value.size == 1 and is_real(value):
        value = value.item()
    ok = isinstance(value, int | float) and not isinstance(value, bool)
    assert ok, f"{what} should be a number, and it is {kind_of(value)}."
    assert np.isfinite(value), f"{what} should be a finite number, and it is {value}."
    return float(value)


def distance(found: np.ndarray, expected: np.ndarray) -> float:
    """Largest difference, relative to the largest expected entry."""
    if found.shape != expected.shape:
        return float("inf")
    if not expected.size:
        return 0.0
    scale = float(np.max(np.abs(expected))) or 1.0
    difference = float(np.max(np.abs(found.astype(np.float64) - expected))) / scale
    return difference if difference == difference else float("inf")


def close(found: np.ndarray, expected: np.ndarray, rtol: float = SAME_RTOL) -> bool:
    return distance(found, expected) <= rtol


def same_structure(found: Any, like: Any) -> bool:
    """Whether nested data has the dicts, lists and tuples of ``like``, with data at the leaves."""
    if isinstance(like, dict):
        return (
            isinstance(found, dict)
            and found.keys() == like.keys()
            and all(same_structure(found[key], like[key]) for key in like)
        )
    if isinstance(like, list | tuple):
        return (
            isinstance(found, list | tuple)
            and len(found) == len(like)
            and all(same_structure(f, part) for f, part in zip(found, like))
        )
    return not isinstance(found, dict | list | tuple)


def all_leaves(value: Any) -> list:
    """Every leaf of nested data, dicts by sorted key."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value, key=str) for leaf in all_leaves(value[key])]
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in all_leaves(part)]
    return [value]


def same_result(found: np.ndarray, expected: np.ndarray, rtol: float = SAME_RTOL) -> bool:
    """Closeness of one function's results to each other: what is not finite is the same as itself,
    for a pure function may well return nan."""
    finite = np.isfinite(expected)
    return (
        found.shape == expected.shape
        and np.array_equal(found[~finite], expected[~finite], equal_nan=True)
        and close(found[finite], expected[finite], rtol)
    )


def same_values(found: Any, expected: Any, rtol: float, same: Same = close) -> bool:
    """Whether two nested answers hold the same data up to ``rtol``, arrays compared by ``same``."""
    if not same_structure(found, expected):
        return False
    for a, b in zip(all_leaves(found), all_leaves(expected)):
        if isinstance(b, np.ndarray | int | float) and isinstance(a, np.ndarray | int | float):
            if not same(np.asarray(a), np.asarray(b), rtol):
                return False
        elif type(a) is not type(b):
            return False
    return True


def join(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (" and more" if len(names) > 3 else "")


def assert_unchanged(changed: Sequence[str], name: str) -> None:
    changed = list(dict.fromkeys(changed))
    recognise(
        changed,
        "changes-its-arguments" if changed == ["arguments"] else "changes-what-is-outside",
        f"Calling `{name}` changed something besides its result: {join(changed)}. A pure "
        "function leaves its arguments and everything outside it as they were.",
    )


def assert_pure(student: Student, name: str, *args: Any, **kwargs: Any) -> None:
    """Same inputs, same outputs, nothing else touched, and one program whoever traces it.

    The eager calls come first: what a function does before any trace is part of the question.
    """
    first = student.watch(name, *args, **kwargs)
    second = student.watch(name, *args, **kwargs)
    assert_unchanged(first.changed + second.changed, name)
    recognise(
        not same_values(second.value, first.value, 1e-6, same_result),
        "other-results-at-each-call",
        f"Two calls of `{name}` with the same inputs gave different results. What it returns may "
        "depend on its arguments alone; randomness comes from the key it is given.",
    )
    one = student.trace(name, *args, fresh=True, **kwargs)
    two = student.trace(name, *args, fresh=True, **kwargs)
    assert_no_leak(one.leaked + two.leaked, name)
    recognise(
        one.fingerprint() != two.fingerprint(),
        "another-program-at-each-trace",
        f"Tracing `{name}` twice gave two different programs: something besides its arguments, "
        "such as NumPy's random numbers, was frozen into the compiled function.",
    )
    assert_same_under_jit(one(*args, **kwargs), first.value, name)


def assert_no_leak(leaked: Sequence[str], name: str) -> None:
    recognise(
        leaked,
        "leaks-a-tracer",
        f"After `{name}` was traced, the variable `{leaked[0] if leaked else ''}` still holds a "
        "tracer. Return values instead of storing them outside the function.",
    )


def assert_same_under_jit(compiled: Any, eager: Any, name: str) -> None:
    recognise(
        not same_values(compiled, eager, EAGER_RTOL, same_result),
        "other-results-under-jit",
        f"Under `jax.jit`, `{name}` returns something else than without it.",
    )


def assert_pure_optimizer(optimizer: Optimizer, grads: Any, params: Any) -> None:
    """The same for an optimizer's ``init`` and ``update``, through its flattened state."""
    name = f"{optimizer.name}(...).update"
    request = optimizer._request("optimizer_init", params)
    state = request["value"]
    first = optimizer.eager_update(grads, state, params)
    second = optimizer.eager_update(grads, state, params)
    assert_unchanged(first.changed + second.changed, name)
    recognise(
        not same_values(second.value, first.value, 1e-6, same_result),
        "other-results-at-each-call",
        f"Two calls of `{name}` with the same gradients and state gave different results. An "
        "optimizer keeps what it remembers in its state, nowhere else.",
    )
    one, two = optimizer.trace(params, fresh=True), optimizer.trace(params, fresh=True)
    assert_no_leak(one[1].leaked + two[1].leaked, name)
    recognise(
        any(a.fingerprint() != b.fingerprint() for a, b in zip(one, two)),
        "another-program-at-each-trace",
        f"Tracing `{name}` twice gave two different programs: something besides its arguments was "
        "frozen into the compiled function.",
    )
    assert_same_under_jit(list(one[1](grads, state, params)), list(first.value), name)
