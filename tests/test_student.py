"""What a check may ask of an answer, on small answers written here."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from jaxercise import apart, hosts
from jaxercise.exhibits import Key
from jaxercise.student import AnswerError, Gone

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


def test_a_program_runs_for_each_of_several_values_at_once(student_of):
    student = student_of(
        "import jax, numpy as np\n"
        "def f(p, key, x): return p['a'] + jax.random.uniform(key, x.shape)\n"
        "def g(p, key, x): return np.asarray(f(p, key, x))\n"
    )
    params, keys = {"a": np.float32([2.0])}, [Key(seed) for seed in (1, 2, 3)]
    one_by_one = [student.function("f")(params, key, X) for key in keys]
    for name in ("f", "g"):  # g cannot be traced, so it is called
        at_once = student.function(name).each(keys, 1, params, keys[0], X)
        assert all(np.allclose(a, b) for a, b in zip(at_once, one_by_one, strict=True))
    assert not np.allclose(one_by_one[0], one_by_one[1])


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


HYPOT_CHAIN = (
    "import functools, jax, jax.numpy as jnp\n"
    "@jax.jit\n"
    "def f(x): return jax.vmap(lambda row: functools.reduce(jnp.hypot, "
    "[jnp.linalg.norm(k * row) for k in range(1, 9)]))(x)"
)


def test_what_the_quick_way_cannot_compile_is_compiled_in_another(student_of):
    """A chain of `hypot` doubles at each link there; see ``compiled.QUICK_COMPILE``."""
    student = student_of(f"{HYPOT_CHAIN}\nnow = f(jnp.ones((2, 3)))\n", seconds=8)
    expected = np.linalg.norm(X, axis=1) * np.sqrt(sum(k * k for k in range(1, 9)))
    assert np.allclose(student.function("f")(X), expected, rtol=1e-5)
    assert np.allclose(student.function("f")(X[:1]), expected[:1], rtol=1e-5)  # at once, now
    assert np.allclose(student.call("f", X), expected, rtol=1e-5)


def test_the_second_room_is_the_last(monkeypatch):
    told = []

    def fails(host, request):
        told.append(host.things)
        raise Gone("did not come back")

    monkeypatch.setattr(hosts.Host, "_ask", fails)
    host = hosts.Host(None, "programs", {"way": 1}, {"way": 2}, 20.0)
    for _ in range(2):
        with pytest.raises(Gone, match="did not come back"):
            host.ask({"do": "run"})
    assert told == [{"way": 1}, {"way": 2}, {"way": 2}]


def test_settings_of_the_answer_do_not_reach_the_checks(student_of):
    student = student_of(
        "import jax, jax.numpy as jnp\n"
        "jax.config.update('jax_enable_x64', True)\n"
        "jax.config.update('jax_numpy_rank_promotion', 'raise')\n"
        "jax.config.update('jax_disable_jit', True)\n"
        "def f(x): return x @ jnp.ones((3, 2)) + jnp.ones(2)\n"
    )
    assert student.function("f")(X).dtype == np.float32


ENTERED = """
import warnings
import jax, jax.numpy as jnp, numpy as np
for left_open in (
    jax.enable_x64(True),
    jax.default_matmul_precision("bfloat16"),
    jax.numpy_rank_promotion("raise"),
    jax.debug_nans(True),
    jax.transfer_guard("disallow_explicit"),
    jax.disable_jit(),
):
    left_open.__enter__()
"""
SET = """
import warnings
import jax, jax.numpy as jnp, numpy as np
for name, value in {
    "jax_enable_x64": True,
    "jax_explicit_x64_dtypes": "error",
    "jax_enable_custom_prng": True,
    "jax_numpy_dtype_promotion": "strict",
    "jax_default_matmul_precision": "bfloat16",
    "jax_disable_most_optimizations": True,
    "jax_softmax_custom_jvp": True,
    "jax_threefry_partitionable": False,
    "jax_random_seed_offset": 5,
    "jax_high_dynamic_range_gumbel": True,
    "jax_numpy_rank_promotion": "raise",
    "jax_legacy_prng_key": "error",
    "jax_debug_nans": True,
    "jax_check_tracer_leaks": True,
    "jax_error_checking_behavior_nan": "raise",
    "jax_transfer_guard": "disallow",
    "jax_disable_jit": True,
    "jax_no_tracing": True,
    "jax_no_execution": True,
    "jax_scan3": True,
    "jax_use_shardy_partitioner": False,
}.items():
    if name in jax.config.values:
        jax.config.update(name, value)
"""
ANSWER = """
warnings.simplefilter("error")
np.seterr(all="raise")
kept = []
def f(raw, typed, x):
    warnings.warn("an opinion")
    kept.append(x)
    kept.clear()
    np.float32(1) / np.zeros(2, np.float32)
    steps = jax.lax.scan(lambda c, row: (c + row, c * 2.5), jnp.zeros(3), x)[1]
    drawn = jax.random.uniform(raw, (3,)), jax.random.categorical(typed, jnp.ones((3, 4)))
    return {
        "drawn": drawn,
        "steps": steps + jnp.ones(3),
        "product": jax.nn.softmax(x @ jnp.ones((3, 2))) + jnp.arange(2),
        "double": jnp.zeros(3, jnp.float64),
        "made": jax.random.bits(jax.random.PRNGKey(3), (2,)),
        "nan": jnp.log(-jnp.abs(x) - 1),
    }
def g(x):
    warnings.warn("an opinion")
    return [jnp.log(x - 9) + np.ones(3), np.float32(1) / np.zeros(2, np.float32)]
"""


def test_whatever_the_answer_has_set_values_are_the_same(student_of):
    imports = "import warnings\nimport jax, jax.numpy as jnp, numpy as np\n"
    arguments = (Key(1, typed=False), Key(2), X)
    got = []
    for before in (imports, ENTERED, SET):
        student = student_of(before + ANSWER)
        program = student.function("f").program(*arguments)
        assert program is not None  # else it would be called as it is
        got.append({**program(*arguments), "called": student.call("g", X)})
    for name, due in got[0].items():
        for i, part in enumerate(due):
            for other in (got[1][name][i], got[2][name][i]):
                assert other.dtype == part.dtype, name
                assert np.array_equal(other, part, equal_nan=True), name


def test_settings_of_the_answer_are_its_own_again_afterwards(student_of):
    student = student_of(
        "import threading\nimport jax\n"
        "jax.config.update('jax_enable_x64', True)\n"
        "jax.config.update('jax_transfer_guard_host_to_device', 'log')\n"
        "names = 'jax_enable_x64', 'jax_transfer_guard_host_to_device'\n"
        "def read(): seen.extend(jax.config.values[name] for name in names)\n"
        "def look(): threading.Timer(0.3, read).start()\n"
        "seen = []\n"
    )
    student.call("look")
    time.sleep(0.6)
    assert student.value("seen") == [True, "log"]


def test_whatever_raises_in_an_answer_is_a_refusal_and_the_rest_goes_on(student_of):
    student = student_of(
        "import _thread\n"
        "import jax, jax.numpy as jnp, numpy as np\n"
        "class Stop(BaseException): pass\n"
        "class Bad(dict):\n"
        "    def items(self): raise Stop('no items')\n"
        "class Named(str):\n"
        "    def __str__(self): raise Stop('no name')\n"
        "bad, deleted = Bad(a=1), jnp.ones(3)\n"
        "deleted.delete()\n"
        "def keys(d): d[Named('b')] = 1\n"
        "def ends(): _thread.exit()\n"
        "def large(): return [np.zeros(2**27, np.int8)] * 3\n"
        "def surrogate(): return 'a\\ud800'\n"
        "def raises(): raise ValueError('a\\ud800')\n"
        "def works(x): return x + 1\n"
    )
    for name, words in {
        "bad": "cannot be read: Stop: no items",
        "deleted": "cannot be read: RuntimeError: Array has been deleted",
    }.items():
        with pytest.raises(AnswerError, match=words):
            student.value(name)
    for name, words, *args in (
        ("keys", "what `keys` works with raised Stop: no name", {"a": X}),
        ("ends", "`ends` raised SystemExit"),
        ("large", "more than can be sent"),
        ("raises", r"`raises` raised ValueError: a\?"),
    ):
        with pytest.raises(AnswerError, match=words):
            student.call(name, *args)
    assert student.call("surrogate") == "a?"
    assert not student.gone and np.allclose(student.call("works", X), X + 1)


def test_leaked_tracers_are_told_once_for_optimizers_too(student_of):
    student = student_of(
        "import jax, jax.numpy as jnp, optax\n"
        "last = None\n"
        "def make():\n"
        "    def update(grads, state, params=None):\n"
        "        global last; last = grads\n"
        "        return grads, state\n"
        "    return optax.GradientTransformation(lambda p: (), update)\n"
        "def f(x):\n"
        "    global last; last = x\n"
        "    return float(x.sum())\n"
    )
    optimizer = student.optimizer("make")
    for _ in range(2):
        assert optimizer.trace({"w": X})[1].leaked == ["last"]
        assert student.value("last") is None
    with pytest.raises(AnswerError, match="cannot be traced"):
        student.trace("f", X)
    assert student.value("last") is None  # after a trace that failed as well


def test_a_program_that_is_refused_is_told_in_words(student_of):
    student = student_of(
        "import jax\ndef f(x): return jax.numpy.broadcast_to(x[0, 0], (2**14, 2**14))"
    )
    with pytest.raises(AnswerError, match="could not be run: it returns more than 255 MiB") as told:
        student.function("f")(X)
    assert told.value.mistake == "compiles-to-a-program-that-is-refused"


def test_a_program_that_jax_cannot_run_is_no_process_that_ended(student_of):
    forward = student_of("def f(x): return x * 2").function("f", derivative=True)
    with pytest.raises(AnswerError, match="could not be run: JAX raised") as told:
        forward.gradient(np.ones((7, 7), np.float32), 0, X)
    assert told.value.mistake == "compiles-to-a-program-that-fails"


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


def test_an_interrupt_from_the_keyboard_ends_the_question_too():
    ended = threading.Event()

    def loops() -> None:
        try:
            while True:
                time.sleep(0.01)
        finally:
            ended.set()

    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        apart.run(loops, lambda error: None)
    assert ended.wait(10)
