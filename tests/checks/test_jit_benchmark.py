"""Hidden checks of exercise 4: a benchmark, and what jit saves.

No check trusts the clock of a busy machine. The steps are stand-ins that write down when each of
their calls began and ended. Between the end of one call and the start of the next, a right answer
reads its clock; so whatever the machine does, what it reports lies between two sums of the record:
the calls alone (`spent`), and the calls with all the time around them (`around`). Delays and
counts are drawn anew in each run, so that no number can be typed in; the bounds hold for any draw.

A busy machine can only make these bounds wide, so that a mistake fits between them by chance.
Then the run is repeated until they are narrow; and if they never are, an answer has to keep within
the bounds of every run: a right one always does.
"""

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from jit_benchmark_mistakes import (
    COMPILED,
    EAGER,
    Habit,
    first_compilation,
    habit_of,
    is_steady,
    mean_bounds,
    raise_known,
    recognise_average,
    recognise_blind,
    recognise_clock_reading,
    recognise_compare_mean,
    recognise_first_call,
    recognise_first_in_mean,
    recognise_mean,
    recognise_overhead,
    recognise_speedup,
    recognise_unit,
    recognise_zero,
    record,
    shortest_wait,
    step_bounds,
    thirds,
    union,
    unit_of,
    within,
)

from jaxercise.checks import all_leaves, kind_of, number, recognise
from jaxercise.exhibits import StandIn
from jaxercise.student import AnswerError, Called

RNG = np.random.default_rng()  # unseeded on purpose: see above

SPEEDUP_RTOL = 0.05  # the contract says 1 %; a mean rounded to four digits adds up to 1 %
MORE_CALLS = 50  # calls beyond n_steps and the first one that the contract allows
DEFAULT_STEPS = 100
TRIES = 6  # runs, at most, until the bounds are narrow; on a machine that is not busy, one

BENCHMARK_KEYS = ("first_call_s", "mean_step_s")
MEANS = ("jit_mean_s", "eager_mean_s")
COMPARE_KEYS = (*MEANS, "speedup", "compile_overhead_s")
KINDS = {"jit_mean_s": COMPILED, "eager_mean_s": EAGER}

# Arguments like those of the lesson's step: params, optimizer state, images, labels.
LESSON_ARGS = (
    {"layer1": {"w": np.ones((3, 2), np.float32), "b": np.zeros(2, np.float32)}},
    {"count": np.float32([0]), "mu": np.zeros(2, np.float32)},
    np.full((4, 3), 0.5, np.float32),
    np.arange(4, dtype=np.int32),
)
ONE_ARRAY = (np.ones(3, np.float32),)  # a step with one argument returns one array

STRING = re.compile(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?")
ALIKE = 0.6  # of two names' letters, for one to stand for the other: mean_s for mean_step_s


# --- how an answer is run and read ---------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """One call of ``benchmark`` or ``compare_jit`` with ``n_steps=n``."""

    called: Called
    n: int

    @property
    def log(self) -> dict:
        return self.called.logs[0]

    def time(self, key: str) -> float:
        """What was reported under ``key``, which must be no mere reading of a clock."""
        reported = reading(self.called.value, key)
        recognise_clock_reading(key, reported, self.log, self.n)
        return reported

    def count(self, *kinds: str) -> int:
        return sum(event[0] in kinds for event in self.log["events"])


def run(student, name: str, step: StandIn, n: int | None = None, args: tuple = LESSON_ARGS) -> Run:
    """Call a function of the answer on a stand-in that is new each time, with the arguments of the
    lesson's step, say. If its `benchmark` raises an error at those, with the others: that it takes
    any arguments is the business of one check."""
    settings = {} if n is None else {"n_steps": n}
    try:
        called = student.watch(name, step, *args, **settings)
    except AnswerError as error:
        if error.kind != "raised" or takes(student, args):
            raise_known(error)
        try:
            others = ONE_ARRAY if args is LESSON_ARGS else LESSON_ARGS
            called = student.watch(name, step, *others, **settings)
        except AnswerError:
            raise_known(error)
    log = called.logs[0]
    never = f"`{name}` returned without calling the function that it was given"
    recognise(log.get("events") == [], "step-never-called", f"{never}.")
    assert log.get("pending") != [], f"{never} on arrays."  # it may have been traced
    return Run(called, DEFAULT_STEPS if n is None else n)


def takes(student, args: tuple) -> bool:
    """Whether `benchmark` raises no error for a step with these arguments."""
    step = StandIn("sleeping step", {"first_s": 0.0, "later_s": 0.0})
    try:
        student.watch("benchmark", step, *args, n_steps=2)
    except AnswerError:
        return False
    return True


def runs_until(narrow: Callable[[Run], bool], make: Callable[[], Run]) -> list[Run]:
    """The first run whose bounds are narrow; all of them, if none is among ``TRIES``."""
    runs = [make()]
    while not narrow(runs[-1]):
        if len(runs) == TRIES:
            return runs
        runs.append(make())
    return runs[-1:]


def reading(value, key: str) -> float:
    """The number under ``key``.

    Each in its place: that it is a number and no string, that it stands in a dict and bears this
    name, is the business of one check; the others read it where it can be read.
    """
    expected = BENCHMARK_KEYS if key in BENCHMARK_KEYS else COMPARE_KEYS
    if isinstance(value, list | tuple) and len(value) == len(expected):
        value = dict(zip(expected, value))
    assert_is_dict(value, "The result")
    name = key if key in value else stands_for(key, value, expected)
    if name is None:
        assert_has(value, key, "The result")
    found = STRING.search(value[name]) if isinstance(value[name], str) else None
    if found:
        return float(found.group())
    recognise_string(value[name], key)
    return number(value[name], f"'{key}'")


def stands_for(key: str, value: dict, expected: tuple) -> str | None:
    """Another name that is clearly meant for ``key``."""
    others = [name for name in value if isinstance(name, str) and name not in expected]
    return next(iter(difflib.get_close_matches(key, others, 1, ALIKE)), None)


def assert_is_dict(value, name: str) -> None:
    recognise(
        value is None,
        "returns-nothing",
        f"{name} is None. The numbers have to be returned, in a dict; printing them is not enough.",
    )
    recognise(
        not isinstance(value, dict),
        "returns-no-dict",
        f"{name} should be a dict, and it is {kind_of(value)}.",
    )


def assert_has(value: dict, key: str, name: str) -> None:
    recognise(
        key not in value,
        "an-entry-is-missing",
        f"{name} has no entry '{key}'; it has {sorted(map(str, value))}.",
    )


def recognise_string(value, key: str) -> None:
    recognise(
        isinstance(value, str),
        "strings-instead-of-numbers",
        f"'{key}' should be a number, and it is a string. Numbers can be compared and divided; "
        "format them only for printing.",
    )


def assert_numbers(value, keys: tuple, name: str, positive: tuple) -> None:
    assert_is_dict(value, name)
    for key in keys:
        assert_has(value, key, name)
        recognise_string(value[key], key)
        entry = number(value[key], f"'{key}'")
        if key in positive:
            recognise(
                entry < 0 and key in BENCHMARK_KEYS,
                "start-minus-end",
                f"'{key}' is negative. A duration is the later reading of the clock less the "
                "earlier one.",
            )
            recognise_zero(key, entry)
            assert entry > 0, f"'{key}' should be positive, and it is {entry:g}."


# --- benchmark-mean ------------------------------------------------------------------------------

# So few steps that dividing by one too many or too few shows: the closest mistake is 25 % away,
# three steps divided by four.
STEADY_STEPS = 3


@pytest.fixture(scope="module")
def steady(student) -> list[Run]:
    """Benchmarks of a step that takes equally long at each call, the first included."""

    def make() -> Run:
        delay = between(0.025, 0.035)
        step = StandIn("sleeping step", {"first_s": delay, "later_s": delay})
        return run(student, "benchmark", step, STEADY_STEPS)

    return runs_until(lambda run: is_steady(run.log), make)


def between(low: float, high: float) -> float:
    return float(RNG.uniform(low, high))


def is_narrow(bounds: tuple[float, float], ratio: float) -> bool:
    """Whether bounds are close enough to tell; those of steps that were not called are."""
    low, high = bounds
    return high <= ratio * low


@pytest.fixture(scope="module")
def habit(request) -> Habit:
    """What the answer's `benchmark` makes of steady steps; see ``Habit``."""
    try:
        habits = [steady_habit(run) for run in request.getfixturevalue("steady")]
    except AssertionError:
        return Habit()
    # One run in which the mean is off is enough: a right answer's never is.
    return next((h for h in habits if h.explains and h.kind != "mean"), habits[-1])


def steady_habit(run: Run) -> Habit:
    return habit_of(run.time("first_call_s"), run.time("mean_step_s"), run.log, run.n)


@pytest.mark.grade("benchmark-mean", points=0.5)
def test_benchmark_returns_two_times(steady):
    """`benchmark` returns a dict with two positive numbers"""
    value = steady[-1].called.value
    assert_numbers(value, BENCHMARK_KEYS, "What `benchmark` returns", BENCHMARK_KEYS)


@pytest.mark.grade("benchmark-mean", points=1)
def test_times_are_in_seconds(steady):
    """Both times are in seconds"""
    for key in BENCHMARK_KEYS:
        recognise_unit(key, own_unit(steady[-1], key))


def own_unit(run: Run, key: str) -> float:
    """The unit of a time of ``benchmark``, whatever else may be wrong with it."""
    reported = run.time(key)
    if key == "first_call_s":
        spent, around = record(run.log)
        return unit_of(reported, (spent[0], around[0]))
    return habit_of(1.0, reported, run.log, run.n).unit


@pytest.mark.grade("benchmark-mean", points=2)
def test_mean_step_is_the_time_of_a_step(steady):
    """`mean_step_s` is the time of n_steps steps, divided by n_steps"""
    for run in steady:
        first, reported = run.time("first_call_s"), run.time("mean_step_s")
        habit = steady_habit(run)
        # Other checks ask for the unit, that the first call is left out, and for an average of all.
        if habit.sign > 0 and habit.kind in ("mean", "first counted") and habit.explains:
            continue
        recognise_mean(first, reported, run.log, run.n)
        bounds, n = step_bounds(run.log), run.n
        ratio = 2 * reported / sum(bounds)
        raise AssertionError(
            f"With n_steps={n}, `mean_step_s` was {ratio:.2g} times as long as a step took. It is "
            "the time of n_steps steps divided by n_steps."
        )


FAST_S, SLOW_S = 0.006, between(0.04, 0.05)


@pytest.fixture(scope="module")
def few_slow(student) -> list[Run]:
    """Benchmarks of steps of which every third is slow: any three in a row have one mean."""
    return uneven(student, 3 * int(RNG.integers(1, 3)), later_s=FAST_S, slow_s=SLOW_S)


@pytest.fixture(scope="module")
def averages(request, habit) -> Callable[[], bool]:
    """Whether the mean is one of all steps and of no first call, which have checks of their own."""

    def ask() -> bool:
        try:
            few_slow, slow_start = map(request.getfixturevalue, ("few_slow", "slow_start"))
            return all(is_mean_of_all(run, habit) for run in few_slow) and all(
                leaves_out_first(run, habit) for run in slow_start
            )
        except AssertionError:
            return False

    return ask


@pytest.mark.grade("benchmark-mean", points=0.5)
def test_uneven_steps_are_averaged(student, few_slow, habit):
    """Slow and fast steps all count in the mean"""
    off = [run for run in few_slow if not is_mean_of_all(run, habit)]
    if not off:
        return
    run = off[-1]
    if habit.blind:
        recognise_blind(*BENCHMARK_KEYS, *(run.time(key) for key in BENCHMARK_KEYS))
    few_fast = uneven(student, run.n, later_s=SLOW_S, slow_s=FAST_S)
    recognise_average([(even(habit, r[-1]), r[-1].log) for r in (off, few_fast)])
    raise AssertionError(
        "When some steps are slower than others, `mean_step_s` should be the mean of them all: "
        "not the median, not the fastest, not the last."
    )


def is_mean_of_all(run: Run, habit: Habit) -> bool:
    """Whether the steps are averaged. The first call may count, or stand in the place of the mean:
    another check asks for that."""
    with_first = (
        times[: run.n + 1].sum() / (run.n if habit.kind == "first counted" else run.n + 1)
        for times in record(run.log)
    )
    low, high = with_first
    as_it_is = habit.sign * run.time("mean_step_s") / habit.unit
    first = [times[0] for times in record(run.log)]
    return (
        within(even(habit, run), mean_bounds(run.log, run.n))
        or within(as_it_is, (low, high))
        or within(as_it_is, (first[0], first[1]))
    )


def uneven(student, n: int, later_s: float, slow_s: float) -> list[Run]:
    """Every third step takes ``slow_s``, and the first call as long as they do on average."""
    first_s = (2 * later_s + slow_s) / 3
    delays = {"first_s": first_s, "later_s": later_s, "slow_s": slow_s, "every": 3}

    def make() -> Run:
        return run(student, "benchmark", StandIn("sleeping step", delays), n)

    def narrow(run: Run) -> bool:
        _, around = record(run.log)
        first = (first_s, around[0])  # as it should be: overslept, it may be like a slow step
        return all(is_narrow(bounds, 1.6) for bounds in (first, *thirds(run.log)))

    return runs_until(narrow, make)


def even(habit: Habit, run: Run, key: str = "mean_step_s") -> float:
    """A reported mean, allowing for the answer's habit."""
    if "pending" in run.log:  # to have counted the first call makes it no shorter
        calls = run.n if habit.kind == "first counted" else len(run.log["pending"])
    else:
        calls = run.count(*KINDS.get(key, ("call",)))
    return habit.allow_for(run.time(key), run.n, calls)


# --- benchmark-calls -----------------------------------------------------------------------------


@pytest.mark.grade("benchmark-calls", points=0.5)
def test_n_steps_says_how_many(student):
    """`step` is called n_steps times after the first call, by default 100 times"""
    n = int(RNG.integers(3, 7))
    quick = StandIn("sleeping step", {"first_s": 0.0, "later_s": 0.0})
    calls = run(student, "benchmark", quick, n).count("call")
    by_default = run(student, "benchmark", quick).count("call")
    assert_calls(calls - 1, n, by_default - 1, "After its first call, `step`")
    recognise(
        by_default - 1 < DEFAULT_STEPS,
        "another-default-for-n-steps",
        f"Without n_steps, `step` was called {by_default} times; it should be a first call and "
        f"then {DEFAULT_STEPS}.",
    )


def assert_calls(calls: int, n: int, by_default: int, what: str) -> None:
    """Judge the number of calls after the first, with ``n_steps=n`` and without."""
    if n <= calls <= n + MORE_CALLS:
        return
    words = f"With n_steps={n}: {what} was called {calls} times"
    recognise(
        0 < calls == by_default,
        "n-steps-ignored",
        f"{words}, as often as without n_steps: it does not reach the loop.",
    )
    recognise(
        calls == n - 1,
        "first-call-counted-in-n-steps",
        f"{words}. n_steps calls come after the first call, which is counted apart.",
    )
    recognise(
        calls > n + MORE_CALLS,
        "too-many-calls",
        f"{words}. It should be n_steps times, and up to {MORE_CALLS} more to warm up.",
    )
    raise AssertionError(f"{words}. It should be n_steps times, and a few more at most.")


@pytest.mark.grade("benchmark-calls", points=0.75)
def test_any_step_with_any_arguments(student):
    """Any step works: with one argument or several, arrays or pytrees of arrays"""
    one, two = np.float32([1, 2]), np.float32([[3]])
    raised: list[AnswerError] = []
    for args in ((one,), (one, two), ({"b": [one, two], "a": two}, [one]), LESSON_ARGS):
        step = StandIn("sleeping step", {"first_s": 0.0, "later_s": 0.0})
        try:
            seen = student.watch("benchmark", step, *args, n_steps=2).logs[0]["arguments"]
        except AnswerError as error:
            if error.kind != "raised":
                raise
            raised.append(error)
            continue
        recognise(not seen, "step-never-called", "`benchmark` returned without calling `step`.")
        assert_same_arguments(args, seen[0])
    if raised:
        recognise(
            len(raised) == 3 and takes(student, LESSON_ARGS),
            "only-for-the-lessons-arguments",
            "`benchmark` works for a step with the arguments and results of the lesson's step, and "
            f"not for others: {raised[0]} Take *args, whatever they are, and call step(*args).",
        )
        raise_known(raised[0])


def assert_same_arguments(args: tuple, seen: list) -> None:
    """``seen`` holds how many arguments arrived, and the numbers in them."""
    if seen == [len(args), *flat(args)]:
        return
    words = (
        f"`benchmark(step, ...)` with {len(args)} argument(s) for the step called it with "
        f"{seen[0]:.0f}"
    )
    recognise(
        seen == [1, *flat(args)],
        "arguments-in-one-tuple",
        f"{words}, the tuple of them all. Take it apart again: step(*args).",
    )
    recognise(
        seen == [1, *flat(args[:1])],
        "only-the-first-argument",
        f"{words}, the first of them. Pass on all of them: step(*args).",
    )
    assert seen[0] == len(args), f"{words}. Pass on all of them: step(*args)."
    raise AssertionError("`step` was called with other values than were passed on.")


def flat(args: tuple) -> list[float]:
    return [float(v) for leaf in all_leaves(args) for v in np.ravel(leaf)]


@pytest.mark.grade("benchmark-calls", points=0.75)
def test_every_call_gets_the_same_arguments(student):
    """Every call of `step` gets the same arguments"""
    step = StandIn("sleeping step", {"first_s": 0.0, "later_s": 0.0})
    seen = run(student, "benchmark", step, 5).log["arguments"]
    assert len(seen) > 1, "`step` was called only once."
    if all(call == seen[0] for call in seen):
        return
    # What a stand-in returns: of four arguments the first with 1 added, else three ones.
    params = len(flat(LESSON_ARGS[:1]))
    first, other = seen[0], next(call for call in seen if call != seen[0])
    returned = [v + 1 for v in first[1 : 1 + params]] if first[0] == 4 else [1.0] * 3
    recognise(
        other[1 : 1 + len(returned)] == returned,
        "results-fed-back",
        "`step` was called with results of an earlier call. Call step(*args) each time, and do "
        "not feed its results back: the step then works whatever it returns.",
    )
    recognise(
        other[0] == first[0] and len(other) == len(first),
        "other-arguments-at-later-calls",
        "`step` was called with other numbers than the first time. Call step(*args) each time: "
        "the same work is done at each call, for jax keeps no results.",
    )
    raise AssertionError(
        "`step` was called with other arguments than the first time. Call step(*args) each time."
    )


# --- benchmark-first -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def slow_start(student) -> list[Run]:
    """Benchmarks of a step whose first call is slow: by far more than 5 % with or without the time
    of a later call, and so that the first call would double a mean."""

    def make() -> Run:
        delays = {"first_s": between(0.14, 0.17), "later_s": between(0.03, 0.035)}
        n = int(RNG.integers(2, 4))
        return run(student, "benchmark", StandIn("sleeping step", delays), n)

    def narrow(run: Run) -> bool:
        spent, around = record(run.log)
        return is_narrow(step_bounds(run.log), 1.3) and is_narrow((spent[0], around[0]), 1.05)

    return runs_until(narrow, make)


def first_call(run: Run) -> float:
    return run.time("first_call_s") / own_unit(run, "first_call_s")


@pytest.fixture(scope="module")
def times_first_calls(request) -> Callable[[], bool]:
    """Whether `benchmark` times the very first call, which has a check of its own."""

    def ask() -> bool:
        try:
            return all(is_first_call(run) for run in request.getfixturevalue("slow_start"))
        except AssertionError:
            return False

    return ask


def is_first_call(run: Run) -> bool:
    spent, around = record(run.log)
    return within(first_call(run), (spent[0], around[0]))


@pytest.mark.grade("benchmark-first", points=1)
def test_first_call_is_the_very_first(slow_start, habit):
    """`first_call_s` is the time of the very first call of `step`"""
    off = [run for run in slow_start if not is_first_call(run)]
    if not off:
        return
    run = off[-1]
    recognise_first_call(first_call(run), even(habit, run), run.log)
    spent, _ = record(run.log)
    longer = first_call(run) > spent[0]
    raise AssertionError(
        f"`first_call_s` is {'longer' if longer else 'shorter'} than the first call of `step` "
        "took: it holds that one call, with the wait for its result, and nothing else."
    )


def leaves_out_first(run: Run, habit: Habit) -> bool:
    _, high = step_bounds(run.log)  # of any one step: how they are averaged is not asked
    return within(even(habit, run), (0, high))


@pytest.mark.grade("benchmark-first", points=1)
def test_mean_leaves_out_the_first_call(slow_start, habit):
    """`mean_step_s` leaves out the first call"""
    for run in slow_start:
        assert run.count("call") > 1, "`step` was called only once."
        if leaves_out_first(run, habit):
            continue
        # the mean as it is: a habit may have been found in that the first call counts
        mean = run.time("mean_step_s") / habit.unit
        first, (spent, around) = first_call(run), record(run.log)
        recognise(
            first == mean,
            "same-number-under-both-keys",
            "`first_call_s` and `mean_step_s` are the same number. The later calls have a mean of "
            "their own.",
        )
        recognise(
            within(mean, (spent[0], around[0])) and within(first, step_bounds(run.log)),
            "first-call-and-mean-swapped",
            "`mean_step_s` is as long as the first call, and `first_call_s` as long as a later "
            "one: the two are swapped.",
        )
        recognise_first_in_mean(mean, run.log, run.n, ("call",), "mean_step_s")
        raise AssertionError(
            "The first call of this step is slow, and `mean_step_s` is longer than any later step: "
            "the first call, which compiles, should not count in the mean."
        )


# --- benchmark-waits -----------------------------------------------------------------------------

NOT_READY = (
    "jax hands back a result before it is computed, so the clock has to be stopped after waiting "
    "for the *result*, with jax.block_until_ready for instance."
)
ROUNDS = int(RNG.integers(260, 320))  # of one step in all runs, so that it is compiled once


MANY = 20  # calls of a heavy step, by when nothing was by chance


@dataclass(frozen=True)
class Heavy:
    """Runs on a compiled step of tens of milliseconds.

    Attributes:
        alone: with one array as the result, so that it is there or not.
        lessons: with the result of the lesson's step. On a busy machine, its last array was seen
            to be ready 50 ms after its first, for which alone an answer may well wait.
    """

    alone: list[Run]
    lessons: Run


def heavily(student, name: str, n: int, times: int) -> Heavy:
    """Few steps: the queue holds 32 on a CPU, and a loop that does not wait would be held up by a
    full queue. An answer that does not wait may be held up by a busy machine as well, until the
    step is done; hence several runs. After the first, nothing is compiled: it was kept."""

    def make(args: tuple) -> Run:
        return run(student, name, StandIn("heavy step", {"rounds": ROUNDS}), n, args)

    alone = [make(ONE_ARRAY)]
    while len(alone) < times and len(alone[0].log["pending"]) <= MANY:
        alone.append(make(ONE_ARRAY))
    return Heavy(alone, make(LESSON_ARGS))


@pytest.fixture(scope="module")
def heavy(student) -> Heavy:
    return heavily(student, "benchmark", 2, times=2)


def assert_waits(heavy: Heavy, key: Callable, name: str, habit: Habit, times: bool) -> None:
    """Nothing may be pending at the end, nor may the mean be shorter than what was pending.

    Args:
        key: which mean of a run is looked at.
        times: False if the answer's means are off for steps that sleep, or not means: they have
            other checks.
    """
    for run in (*heavy.alone, heavy.lessons):
        pending = run.log["pending"]
        assert len(pending) > 1, f"`{name}` called the function only once."
        reported, wait = even(habit, run, key(run)), shortest_wait(run.log, run.n)
        if run is heavy.lessons:  # handing over a step takes a tenth of computing it
            waited = not times or reported >= wait / 2
        else:
            waited = run.log["ready"][-1] and (not times or within(reported, (wait, np.inf)))
        recognise(
            not waited,
            "clock-stopped-before-the-work",
            f"`{name}` stopped its clock for `{key(run)}` while steps were still running: "
            f"{NOT_READY}",
        )


@pytest.mark.grade("benchmark-waits", points=2)
def test_every_step_is_waited_for(heavy, habit, averages):
    """The steps are waited for before the clock is stopped"""
    times = habit.explains and habit.kind != "more timed" and averages()
    assert_waits(heavy, lambda run: "mean_step_s", "benchmark", habit, times)


@pytest.mark.grade("benchmark-waits", points=1)
def test_first_call_is_waited_for(heavy, times_first_calls):
    """The first call is waited for as well"""
    times = times_first_calls()  # another number has its own check
    for run in heavy.alone:
        wait = union(run.log["pending"][:1])
        recognise(
            not run.log["ready"][0] or (times and not within(first_call_of(run), (wait, np.inf))),
            "first-call-not-waited-for",
            "The clock for `first_call_s` was stopped, or the second call begun, while the first "
            f"call was still running: {NOT_READY}",
        )


def first_call_of(run: Run) -> float:
    """The reported first call of a heavy step, whose record has no events to tell the unit by."""
    start, until = run.log["pending"][0]
    reported = run.time("first_call_s")
    return reported / unit_of(reported, (until - start, run.log["returned"] - run.log["called"]))


# --- compare-jit ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compared(student) -> list[Run]:
    """Comparisons of a function whose body, compiled program and first runs sleep differently.

    The compiled program is the slower one, so that a mean taken from the wrong place is far off:
    by a factor of 5 or more if the two are swapped, of 1.6 for the jitted and 3 for the other if a
    first call counts. The first call without jit is shorter than a trace by a quarter.
    """

    def make() -> Run:
        delays = {
            "trace_s": between(0.23, 0.26),
            "first_s": between(0.155, 0.17),
            "eager_s": between(0.008, 0.010),
            "compiled_s": between(0.05, 0.06),
        }
        n = int(RNG.integers(5, 7))
        return run(student, "compare_jit", StandIn("traced step", delays), n)

    def narrow(run: Run) -> bool:
        jit, eager = (step_bounds(run.log, kinds) for kinds in (COMPILED, EAGER))
        _, low, high = first_compilation(run.log)  # a step more has to show in a first call
        return is_narrow(jit, 1.35) and is_narrow(eager, 1.7) and high <= max(3 * low, 10 * jit[0])

    return runs_until(narrow, make)


@pytest.fixture(scope="module")
def heavily_compared(student) -> Heavy:
    """Comparisons on a function that does next to nothing when it is compiled."""
    return heavily(student, "compare_jit", 3, times=1)


@pytest.fixture(scope="module")
def elsewhere(request) -> Callable[[], list[float]]:
    """Both means and the speedup of a function that jit makes faster; asked only once a check has
    failed on one that jit makes slower. Zeros if there are none."""

    def ask() -> list[float]:
        try:
            run = request.getfixturevalue("heavily_compared").lessons
            return [run.time(key) for key in COMPARE_KEYS[:3]]
        except AssertionError:
            return [0.0, 0.0, 0.0]

    return ask


@pytest.mark.grade("compare-jit", points=0.5)
def test_comparison_holds_four_numbers(compared, habit):
    """`compare_jit` returns a dict with four numbers, its times in the unit of `benchmark`"""
    run = compared[-1]
    assert_numbers(run.called.value, COMPARE_KEYS, "What `compare_jit` returns", ())
    for key in MEANS:
        reported = run.time(key) * habit.sign
        assert reported > 0, f"'{key}' should be positive, and it is {reported:g}."
        unit = unit_in_comparison(run, key)
        if unit != habit.unit:
            recognise_unit(key, unit)


def unit_in_comparison(run: Run, key: str) -> float:
    bounds = step_bounds(run.log, KINDS[key])
    return unit_of(run.time(key), bounds) if np.isfinite(bounds[0]) else 1.0


@pytest.mark.grade("compare-jit", points=0.5)
def test_both_loops_take_n_steps(student, compared):
    """Both loops take n_steps steps after their first call, by default 100"""
    run_n, n = compared[-1], compared[-1].n
    kinds_and_words = ((EAGER, "the function without jit"), (COMPILED, "the compiled one"))
    # Whether both are run at all, and warmed up, is the business of other checks.
    for kinds, what in kinds_and_words:
        calls = run_n.count(*kinds)
        recognise(
            calls > 1 + n + MORE_CALLS,
            "n-steps-ignored",
            f"With n_steps={n}, {what} was called {calls} times. It should be a first time and "
            "then n_steps times: does n_steps reach both loops?",
        )
        recognise(
            0 < calls < n,
            "n-steps-ignored",
            f"With n_steps={n}, {what} was called {calls} times only. It should be a first time "
            "and then n_steps times: does n_steps reach both loops?",
        )
    if run_n.count("trace") >= n:
        return  # a hundred compilations would take long, and have their own check
    quick = dict.fromkeys(("trace_s", "first_s", "eager_s", "compiled_s"), 0.0)
    by_default = run(student, "compare_jit", StandIn("traced step", quick))
    for kinds, what in kinds_and_words:
        more, calls = run_n.count(*kinds) - n, by_default.count(*kinds)
        recognise(
            calls and calls < DEFAULT_STEPS + more,
            "another-default-for-n-steps",
            f"Without n_steps, {what} was called {calls} times; it should be a first time and then "
            f"{DEFAULT_STEPS}.",
        )


@pytest.mark.grade("compare-jit", points=2)
def test_jit_compiles_once_and_runs_the_program(compared):
    """The jitted function is compiled once, and the compiled program runs"""
    run, n = compared[-1], compared[-1].n
    traces, runs, eager = run.count("trace"), run.count("compiled"), run.count("eager")
    if not traces:
        recognise(
            run.count("disabled") >= 2 * n,
            "both-under-disable-jit",
            "Both loops ran under jax.disable_jit, which keeps jax.jit from compiling anything.",
        )
        recognise(
            n + 1 < eager < 2 * n and not run.count("disabled"),
            "arguments-baked-into-the-program",
            "While it was traced, the function was given arrays instead of tracers: its arguments "
            "became constants of the program. Jit the function itself, and hand the arguments to "
            "what jax.jit returns.",
        )
        recognise(
            eager >= 2 * n,
            "never-jitted",
            "The function was never traced, and both loops called it as it is. jax.jit does not "
            "change the function: it returns a compiled one, and it is this that has to be called.",
        )
        raise AssertionError(
            "The function was never traced, so nothing was compiled. jax.jit(f) returns the "
            "compiled function: it is this that has to be called."
        )
    assert runs, "The function was traced, but the compiled program never ran."
    recognise(
        traces >= n,
        "compiles-at-every-step",
        f"In {n} steps, the function was traced {traces} times. jax.jit remembers what it compiled "
        "by the function object: make the jitted function once, before the loop.",
    )


@pytest.mark.grade("compare-jit", points=1)
def test_eager_is_the_function_as_it_is(compared):
    """The eager time is that of the function called as it is"""
    run = compared[-1]
    recognise(
        run.count("compiled") >= 2 * run.n and not run.count(*EAGER),
        "both-are-jitted",
        "Both loops ran the compiled program. `eager_mean_s` is the time of step_fn called as it "
        "is, without jax.jit.",
    )
    assert run.count(*EAGER), (
        "The function was never called as it is, with arrays: `eager_mean_s` is the time without "
        "jax.jit."
    )
    recognise(
        not run.count("eager"),
        "eager-under-disable-jit" if run.count("trace") else "both-under-disable-jit",
        "The function ran under jax.disable_jit, which also switches off the compiled operations "
        "inside jax.numpy. Eager means calling step_fn(*args).",
    )


def is_mean_of_steps(run: Run, key: str, habit: Habit) -> bool:
    bounds = step_bounds(run.log, KINDS[key])
    reported = even(habit, run, key)
    return within(reported / unit_of(reported, bounds), bounds)  # a unit of its own has its check


def assert_mean_of_steps(runs: list[Run], key: str, habit: Habit, elsewhere: Callable) -> None:
    """A mean has to be that of steps of its own kind, after the first of them."""
    what = "the compiled steps" if key == "jit_mean_s" else "the steps without jit"
    for run in runs:
        if is_mean_of_steps(run, key, habit):
            continue
        if habit.blind:
            recognise_blind(*MEANS, *(run.time(key) for key in MEANS))
        jit, eager = (run.time(key) / habit.unit for key in MEANS)
        recognise_compare_mean(key, jit, eager, run.log, run.n, elsewhere())
        reported, (low, _) = even(habit, run, key), step_bounds(run.log, KINDS[key])
        raise AssertionError(
            f"`{key}` is {'shorter' if reported < low else 'longer'} than {what} took after "
            "the first. It is the mean of n_steps of them, and of nothing else."
        )


@pytest.mark.grade("compare-jit", points=0.5)
def test_jit_mean_is_that_of_compiled_steps(compared, habit, elsewhere):
    """`jit_mean_s` is the mean of compiled steps, without tracing and compiling"""
    assert compared[-1].count("compiled"), "Nothing compiled has run, so there is no such mean."
    assert_mean_of_steps(compared, "jit_mean_s", habit, elsewhere)


@pytest.mark.grade("compare-jit", points=0.75)
def test_eager_mean_is_that_of_warm_steps(compared, habit, elsewhere):
    """`eager_mean_s` is the mean of steps without jit, after a first one"""
    assert compared[-1].count(*EAGER), "The function was never called as it is, without jax.jit."
    assert_mean_of_steps(compared, "eager_mean_s", habit, elsewhere)


@pytest.mark.grade("compare-jit", points=0.75)
def test_speedup_is_eager_over_jit(compared, elsewhere):
    """`speedup` is the eager mean divided by the jitted mean"""
    value = compared[-1].called.value
    jit, eager, speedup = (reading(value, key) for key in (*MEANS, "speedup"))
    assert jit and eager, "A mean time should be positive."
    assert_is_ratio(jit, eager, speedup, elsewhere)


def assert_is_ratio(jit: float, eager: float, speedup: float, elsewhere: Callable) -> None:
    if abs(speedup - eager / jit) <= SPEEDUP_RTOL * abs(eager / jit):
        return
    recognise_speedup(jit, eager, speedup, elsewhere())
    raise AssertionError(
        "`speedup` is not `eager_mean_s` divided by `jit_mean_s`. It says how many times faster "
        "the jitted step is: 1 means equally fast."
    )


@pytest.mark.grade("compare-jit", points=0.5)
def test_overhead_holds_tracing_and_compiling(compared, habit, times_first_calls):
    """`compile_overhead_s` is what tracing and compiling cost"""
    for run in compared:
        assert run.count("trace"), "The function was never traced, so nothing was compiled."
        first, low, high = first_compilation(run.log)
        jit, overhead = (habit.sign * run.time(k) for k in ("jit_mean_s", "compile_overhead_s"))
        unit = unit_of(overhead, (low, high))
        # A mean that is off has its own check, and so has a clock that sees no sleep.
        less_a_mean = within(
            (overhead + jit) / unit_of(overhead + jit, (first, high)), (first, high)
        )
        if within(overhead / unit, (low, high)) or less_a_mean or habit.blind:
            continue
        words = (
            f"`compile_overhead_s` is {'shorter' if overhead < low else 'longer'} than it takes to "
            "trace, compile and run a first step. It is the time of the first call of the jitted "
            "function, with or without the time of a later step taken off."
        )
        if times_first_calls():  # else it may come from there
            recognise_overhead(run.time("compile_overhead_s") / habit.unit, run.log, run.n)
        raise AssertionError(words)


@pytest.mark.grade("compare-jit", points=0.5)
def test_comparison_waits_for_results(heavily_compared, compared, habit, averages):
    """`compare_jit` waits for the results as `benchmark` does"""
    times = all(is_mean_of_steps(other, "eager_mean_s", habit) for other in compared)
    if habit != Habit():  # else `compare_jit` has means of its own
        times = times and habit.kind != "more timed" and averages()

    def longer(run: Run) -> str:  # swapping them has its check
        return max(MEANS, key=lambda key: abs(run.time(key)))

    assert_waits(heavily_compared, longer, "compare_jit", habit, times)


# --- jit-report ----------------------------------------------------------------------------------


@pytest.mark.grade("jit-report", points=1, notebook=True)
def test_report_is_consistent(student):
    """`report` is what `compare_jit` returns: four positive numbers that fit together"""
    report = student.value("report")
    assert_numbers(report, COMPARE_KEYS, "`report`", COMPARE_KEYS)
    jit, eager, speedup = (reading(report, key) for key in (*MEANS, "speedup"))
    assert_is_ratio(jit, eager, speedup, lambda: [0.0, 0.0, 0.0])


# Measured over 20 start values (scripts/measure_thresholds.py, jax 0.10.1, two cores at a load of
# 7.5): mean 14.9, sd 5.1, smallest 5.2, largest 24.1. With XLA's settings of a room, at a load of 1
# to 2: mean 7.9, sd 0.4, smallest 7.3. It is a ratio of two times of one run, so a slow machine
# changes both.
FASTER_THAN = 1.0


@pytest.mark.grade("jit-report", points=1, notebook=True)
def test_jit_is_faster_on_the_lessons_step(student):
    """On the lesson's training step, jit is faster"""
    speedup = reading(student.value("report"), "speedup")
    assert speedup > FASTER_THAN, (
        f"`report` says that jit made the lesson's training step {speedup:.2f} times as fast. Is "
        "`report` the comparison of `training_step`, and is its first call left out of the means?"
    )
