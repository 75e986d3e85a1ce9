"""What a check may ask of an answer, on small answers written here."""

import time

import numpy as np
import pytest

from jaxercise import hosts
from jaxercise.exhibits import Key
from jaxercise.student import AnswerError

X = np.linspace(0, 1, 6, dtype=np.float32).reshape(2, 3)

COUNTING = """
import jax, jax.numpy as jnp
traces = 0
def f(x, scale, name="a"):
    global traces
    traces += isinstance(x, jax.core.Tracer)
    return {"y": x * scale, "n": name}
"""


def test_arrays_are_traced_once_a_signature_and_the_rest_is_static(student_of):
    student = student_of(COUNTING)
    f = student.function("f")
    for _ in range(3):
        result = f(X, 2.0)
    assert np.allclose(result["y"], 2 * X) and result["n"] == "a"
    assert student.value("traces") == 1
    f(X, 3.0)  # another static value
    f(X[:1], 3.0)  # another shape
    f(X, 3.0, name="b")
    assert student.value("traces") == 4


def test_both_kinds_of_keys_cross(student_of):
    student = student_of("import jax\ndef draw(key, n): return jax.random.uniform(key, (n,))")
    draw = student.function("draw")
    assert np.array_equal(draw(Key(3), 4), draw(Key(3, typed=False), 4))
    assert not np.array_equal(draw(Key(3), 4), draw(Key(4), 4))


def test_a_traced_dict_comes_sorted_and_a_called_one_as_it_is(student_of):
    student = student_of("def order(d): return {'order': ' '.join(d), 'sum': d['b'] + d['a']}")
    backwards = {"b": X, "a": X}
    assert student.function("order")(backwards)["order"] == "a b"
    assert student.call("order", backwards)["order"] == "b a"


def test_an_answer_that_cannot_be_traced_is_called(student_of):
    student = student_of("import numpy as np\ndef f(x): return np.asarray(x) * 2")
    assert np.allclose(student.function("f")(X), 2 * X)
    with pytest.raises(AnswerError, match="cannot be traced"):
        student.trace("f", X)


def test_a_debug_print_is_told_apart_from_other_failures(student_of):
    student = student_of("import jax\ndef f(x):\n    jax.debug.print('{}', x)\n    return x + 1")
    with pytest.raises(AnswerError, match="calls back into Python"):
        student.trace("f", X)
    assert np.allclose(student.function("f")(X), X + 1)


def test_gradients_come_from_the_program_or_from_inside(student_of):
    traceable = "import jax.numpy as jnp\ndef f(p, x): return (p['w'] * x ** 2).sum()"
    branching = "def f(p, x):\n    if float(x.sum()) > 0:\n        return (p['w'] * x ** 2).sum()\n"
    params = {"w": X, "b": X[0]}
    for code in (traceable, branching):
        f = student_of(code).function("f", derivative=True)
        gradient = f.gradient(np.float32(1).reshape(()), 0, params, X)
        assert np.allclose(gradient["w"], X**2)


def test_an_optimizer_is_a_program_over_a_flat_state(student_of):
    student = student_of(
        "import optax\n"
        "def make(lr): return optax.chain(optax.clip_by_global_norm(1.0), optax.adam(lr))"
    )
    optimizer = student.optimizer("make", 0.1)
    params = {"w": X}
    state = optimizer.init(params)
    updates, state = optimizer.update({"w": np.ones_like(X)}, state, params)
    assert np.allclose(updates["w"], -0.1, rtol=1e-4)
    assert all(isinstance(leaf, np.ndarray) for leaf in state)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("", "`f` is not defined"),
        ("def f(x): raise NotImplementedError", "`f` is not answered yet"),
        ("def f(x): return x.nothing", "`f` raised AttributeError"),
        ("f = 3", "`f` is not a function here"),
        ("class Stop(BaseException): pass\ndef f(x): raise Stop('now')", "`f` raised Stop: now"),
        ("import sys\ndef f(x): sys.exit(0)", "`f` raised SystemExit"),
        ("def f(x): return", None),
        (
            "raise ValueError('broken')\ndef f(x): return x",
            "stopped at: ValueError in line 1: broken",
        ),
        ("def f(x:\n  return x", "stopped at: SyntaxError in line"),
    ],
)
def test_what_is_wrong_is_told_in_the_students_words(student_of, code, words):
    f = student_of(code).function("f")
    if words is None:
        assert f(X) is None
        return
    with pytest.raises(AnswerError, match=words):
        f(X)


def test_a_function_that_hangs_or_dies_costs_its_own_checks_only(student_of):
    student = student_of(
        "import os, time\n"
        "def hangs(x):\n    while True: time.sleep(0.01)\n"
        "def dies(x): os._exit(1)\n"
        "def works(x): return x + 1\n",
        seconds=6,
    )
    with pytest.raises(AnswerError, match="took too long"):
        student.function("hangs")(X)
    before = time.monotonic()
    with pytest.raises(AnswerError, match="was not called again"):
        student.function("hangs")(X)
    assert time.monotonic() - before < 1  # it was not waited for twice
    with pytest.raises(AnswerError, match="ended the Python process"):
        student.call("dies", X)
    assert np.allclose(student.function("works")(X), X + 1)


@pytest.mark.parametrize(
    ("code", "words"),
    [("while True: pass", "the code around it took too long"), ("import os; os._exit(0)", "ended")],
)
def test_a_file_that_never_ends_or_ends_python_is_told_once(student_of, monkeypatch, code, words):
    monkeypatch.setattr(hosts, "START_S", 3.0)
    student = student_of(code)
    start = time.monotonic()
    for name in ("f", "g", "h"):
        with pytest.raises(AnswerError, match=f"`{name}` could not be reached.*{words}"):
            student.call(name, X)
    assert time.monotonic() - start < 60  # it was started once, not for each name


def test_a_program_that_never_ends_costs_its_own_checks_only(student_of):
    student = student_of(
        "import jax\n"
        "def spins(x): return jax.lax.while_loop(lambda v: v.sum() < 1e9, lambda v: -v, x)\n"
        "def works(x): return x + 1\n",
        seconds=6,
    )
    with pytest.raises(AnswerError, match="took too long"):
        student.function("spins")(X)
    assert np.allclose(student.function("works")(X), X + 1)


def test_settings_of_the_answer_do_not_reach_the_checks(student_of):
    student = student_of(
        "import jax, jax.numpy as jnp\n"
        "jax.config.update('jax_enable_x64', True)\n"
        "jax.config.update('jax_numpy_rank_promotion', 'raise')\n"
        "jax.config.update('jax_disable_jit', True)\n"
        "def f(x): return x @ jnp.ones((3, 2)) + jnp.ones(2)\n"
    )
    assert student.function("f")(X).dtype == np.float32


def test_what_a_call_changes_is_seen(student_of):
    student = student_of(
        "import numpy as np\ncount = 0\nseen = []\n"
        "def counts(d):\n    global count; count += 1; seen.append(1); return d['a']\n"
        "def pops(d): return d.pop('a')\n"
        "def draws(d): return np.random.rand()\n"
        "def calm(d): return d['a']\n"
    )
    d = {"a": X}
    assert student.watch("calm", d).changed == []
    assert student.watch("counts", d).changed == ["the variable `count`", "the variable `seen`"]
    assert student.watch("pops", d).changed == ["arguments"]
    assert student.watch("draws", d).changed == ["NumPy's global random state"]
