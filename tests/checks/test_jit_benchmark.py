"""Hidden checks of exercise 4: a benchmark, and what jit saves.

No check trusts the clock of a busy machine. The steps are stand-ins that write down when each of
their calls began and ended. Between the end of one call and the start of the next, a right answer
reads its clock; so whatever the machine does, what it reports lies between two sums of the record:
the calls alone (`spent`), and the calls with all the time around them (`around`). Delays and
counts are drawn anew in each run, so that no number can be typed in; the bounds hold for any draw.
"""

import re

import numpy as np
import pytest

from jaxercise.checks import all_leaves, kind_of, number
from jaxercise.exhibits import StandIn
from jaxercise.student import Called

RNG = np.random.default_rng()  # unseeded on purpose: see above

# Clocks may differ by a little and numbers may be rounded to the millisecond: an answer may leave
# its bounds by 5 % and a millisecond. Measured (scripts/measure_thresholds.py, 20 runs at a load
# of 7.5 on two cores): the reference left them by 0.0 %, and they were 1.3 % apart (sd
# 0.2 %, largest 1.7 %). The closest mistake is 25 % away: three steps of at least 15 ms, divided
# by four.
TOLERANCE, TICK_S = 0.05, 0.001
SPEEDUP_RTOL = 0.05  # the contract says 1 %; a mean rounded to four digits adds up to 1 %
MORE_CALLS = 50  # calls beyond n_steps and the first one that the contract allows

BENCHMARK_KEYS = ("first_call_s", "mean_step_s")
MEANS = ("jit_mean_s", "eager_mean_s")
COMPARE_KEYS = (*MEANS, "speedup", "compile_overhead_s")

# Arguments like those of the lesson's step: params, optimizer state, images, labels.
LESSON_ARGS = (
    {"layer1": {"w": np.ones((3, 2), np.float32), "b": np.zeros(2, np.float32)}},
    {"count": np.float32([0]), "mu": np.zeros(2, np.float32)},
    np.full((4, 3), 0.5, np.float32),
    np.arange(4, dtype=np.int32),
)

NEVER_CALLED = "`{}` returned without calling the function that it was given."
STRING = re.compile(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?")


# --- how an answer is run and read ---------------------------------------------------------------


def between(low: float, high: float) -> float:
    return float(RNG.uniform(low, high))


def run(student, name: str, step: StandIn, *args, **settings) -> Called:
    """Call ``benchmark`` or ``compare_jit`` on a stand-in that is new each time."""
    called = student.watch(name, step, *(args or LESSON_ARGS), **settings)
    log = called.logs[0]
    assert log.get("events") or log.get("pending"), NEVER_CALLED.format(name)
    return called


def reading(value, key: str) -> float:
    """The number under ``key``. A number inside a string still gets its size judged: that it
    should be a number is the business of one check."""
    assert isinstance(value, dict), f"The result should be a dict, and it is {kind_of(value)}."
    assert key in value, f"The result has no entry '{key}'."
    found = STRING.search(value[key]) if isinstance(value[key], str) else None
    return float(found.group()) if found else number(value[key], f"'{key}'")


def unit_of(reported: float, seconds: float) -> float:
    """1, or the power of 1000 that turns ``seconds`` into about what was reported."""
    if reported <= 0 or seconds <= 0:
        return 1.0
    return 1000.0 ** max(0, round(np.log(reported / seconds) / np.log(1000)))


# --- bounds from the record ----------------------------------------------------------------------


def timeline(log: dict) -> tuple[list, list[float], list[float]]:
    """Events in order; for event ``i``, ``ends[i]`` is when the one before it was over, and
    ``starts[i + 1]`` when the one after it began."""
    events = sorted(log["events"], key=lambda event: event[1])
    ends = [log["called"], *(end for _, _, end in events)]
    starts = [*(start for _, start, _ in events), log["returned"]]
    return events, ends, starts


def record(log: dict, kinds: tuple[str, ...] = ("call",)) -> tuple[np.ndarray, np.ndarray]:
    """For each event of these kinds, the seconds spent inside, and from the end of the event
    before it (of any kind) to the start of the one after it."""
    events, ends, starts = timeline(log)
    chosen = [i for i, event in enumerate(events) if event[0] in kinds]
    spent = [events[i][2] - events[i][1] for i in chosen]
    around = [starts[i + 1] - ends[i] for i in chosen]
    return np.array(spent), np.array(around)


def mean_bounds(log: dict, n: int, kinds: tuple[str, ...] = ("call",)) -> tuple[float, float]:
    """Bounds on the mean of any ``n`` calls in a row after the first."""
    spent, around = (times[1:] for times in record(log, kinds))
    return windows(spent, n).min(initial=np.inf), windows(around, n).max(initial=0)


def step_bounds(log: dict, n: int, kinds: tuple[str, ...] = ("call",)) -> tuple[float, float]:
    """The same from the fastest single step, for steps that sleep equally long: a median or a
    minimum has a check of its own."""
    return mean_bounds(log, 1, kinds)[0], mean_bounds(log, n, kinds)[1]


def windows(times: np.ndarray, n: int) -> np.ndarray:
    """Means of all runs of ``n`` neighbours; of all of them, if they are fewer."""
    n = min(n, len(times))
    return np.convolve(times, np.full(n, 1 / n), "valid") if n else times


def within(reported: float, bounds: tuple[float, float]) -> bool:
    low, high = bounds
    return (1 - TOLERANCE) * low - TICK_S <= reported <= (1 + TOLERANCE) * high + TICK_S


def own_factor(student, n: int) -> float:
    """What the answer's own `benchmark` makes of the mean of sleeping steps: 1 if it is right,
    1000 for milliseconds, n for a total, about 0 for a clock that does not see sleep. A mean that
    is off has its own check, and the others allow for it."""
    step = StandIn("sleeping step", {"first_s": 0.006, "later_s": 0.006})
    try:
        called = run(student, "benchmark", step, n_steps=n)
        low, high = mean_bounds(called.logs[0], n)
        return reading(called.value, "mean_step_s") / ((low + high) / 2)
    except AssertionError:
        return 1.0


SEES_SLEEP = 0.5  # a smaller factor is none: time.process_time gives 0.01 to 0.1


def mean_within(student, reported: float, bounds: tuple[float, float], n: int) -> bool:
    if within(reported, bounds):
        return True
    factor = own_factor(student, n)
    return factor > SEES_SLEEP and within(reported / factor, bounds)


def union(intervals: list) -> float:
    """Seconds covered by intervals that may overlap."""
    total, reached = 0.0, -np.inf
    for start, end in sorted(intervals):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


# --- benchmark-mean ------------------------------------------------------------------------------

STEADY_STEPS = 3  # so few that dividing by one too many or too few shows


@pytest.fixture(scope="module")
def steady(student) -> Called:
    """A benchmark of a step that takes equally long at each call, the first included."""
    delay = between(0.015, 0.025)
    step = StandIn("sleeping step", {"first_s": delay, "later_s": delay})
    return run(student, "benchmark", step, n_steps=STEADY_STEPS)


@pytest.mark.grade("benchmark-mean", points=0.5)
def test_benchmark_returns_two_times(steady):
    """`benchmark` returns a dict with two positive numbers"""
    assert_numbers(steady.value, BENCHMARK_KEYS, "benchmark")


@pytest.mark.grade("benchmark-mean", points=1)
def test_times_are_in_seconds(steady):
    """Both times are in seconds"""
    _, around = record(steady.logs[0])
    for key, longest in zip(BENCHMARK_KEYS, (around[0], around.max())):
        unit = unit_of(reading(steady.value, key), longest)
        assert unit == 1, (
            f"'{key}' is about {unit:.0f} times the seconds that went by. Keys that end in _s "
            "hold seconds; turn them into milliseconds only for printing."
        )


@pytest.mark.grade("benchmark-mean", points=2)
def test_mean_step_is_the_time_of_a_step(steady):
    """`mean_step_s` is the time of n_steps steps, divided by n_steps"""
    low, high = step_bounds(steady.logs[0], STEADY_STEPS)
    reported = reading(steady.value, "mean_step_s")
    reported /= unit_of(reported, high)
    ratio, n = reported / ((low + high) / 2), STEADY_STEPS
    if within(reported, (low, high)):
        return
    hint = ""
    if abs(ratio - n) < 0.1 * n:
        hint = " This is the total of all steps, not their mean."
    elif ratio < 0.2:
        hint = (
            " The step was waiting, not computing: a clock that counts the work of the processor, "
            "such as time.process_time, does not see that time go by."
        )
    raise AssertionError(
        f"With n_steps={n}, `mean_step_s` was {ratio:.2f} times as long as a step took. It is the "
        f"time of n_steps steps divided by n_steps.{hint}"
    )


@pytest.mark.grade("benchmark-mean", points=0.5)
def test_uneven_steps_are_averaged(student):
    """Slow and fast steps all count in the mean"""
    n = 3 * int(RNG.integers(1, 3))  # every third step is slow: any n in a row have one mean
    fast, slow = 0.004, between(0.03, 0.04)
    delays = {"later_s": fast, "slow_s": slow, "every": 3, "first_s": (2 * fast + slow) / 3}
    called = run(student, "benchmark", StandIn("sleeping step", delays), n_steps=n)
    reported = reading(called.value, "mean_step_s")
    assert mean_within(student, reported, mean_bounds(called.logs[0], n), n), (
        "When some steps are slower than others, `mean_step_s` should be the mean of them all: "
        "not the median, not the fastest, not the last."
    )


# --- benchmark-calls -----------------------------------------------------------------------------


@pytest.mark.grade("benchmark-calls", points=0.5)
def test_n_steps_says_how_many(student):
    """`step` is called n_steps times after the first call, by default 100 times"""
    n = int(RNG.integers(3, 7))
    quick = StandIn("sleeping step", {"first_s": 0.0, "later_s": 0.0})
    step = StandIn("sleeping step", {"first_s": 0.012, "later_s": 0.012})
    calls = len(run(student, "benchmark", step, n_steps=n).logs[0]["events"])
    assert_calls(calls - 1, n, "After its first call, `step`")
    calls = len(run(student, "benchmark", quick).logs[0]["events"])
    assert calls >= 101, (
        f"Without n_steps, `step` was called {calls} times; it should be a first call and then 100."
    )


def assert_calls(calls: int, n: int, what: str) -> None:
    assert n <= calls <= n + MORE_CALLS, (
        f"With n_steps={n}: {what} was called {calls} times. It should be n_steps times, and a "
        "few more at most: does n_steps reach the loop, and is the first call counted apart?"
    )


@pytest.mark.grade("benchmark-calls", points=0.75)
def test_any_step_with_any_arguments(student):
    """Any step works: with one argument or several, arrays or pytrees of arrays"""
    one, two = np.float32([1, 2]), np.float32([[3]])
    for args in ((one,), (one, two), ({"b": [one, two], "a": two}, [one]), LESSON_ARGS):
        step = StandIn("sleeping step", {"first_s": 0.0, "later_s": 0.0})
        seen = run(student, "benchmark", step, *args, n_steps=2).logs[0]["arguments"][0]
        assert seen[0] == len(args), (
            f"`benchmark(step, ...)` with {len(args)} argument(s) for the step called it with "
            f"{seen[0]}. Pass on all of them: step(*args)."
        )
        assert seen[1:] == flat(args), "`step` was called with other values than were passed on."


def flat(args: tuple) -> list[float]:
    return [float(v) for leaf in all_leaves(args) for v in np.ravel(leaf)]


@pytest.mark.grade("benchmark-calls", points=0.75)
def test_every_call_gets_the_same_arguments(student):
    """Every call of `step` gets the same arguments"""
    step = StandIn("sleeping step", {"first_s": 0.0, "later_s": 0.0})
    seen = run(student, "benchmark", step, n_steps=5).logs[0]["arguments"]
    assert len(seen) > 1, "`step` was called only once."
    assert all(call == seen[0] for call in seen), (
        "`step` was called with other arguments than the first time. Call step(*args) each time, "
        "and do not feed its results back: the step then works whatever it returns."
    )


# --- benchmark-first -----------------------------------------------------------------------------


def slow_start(student) -> tuple[Called, int]:
    n = int(RNG.integers(3, 6))
    delays = {"first_s": between(0.16, 0.2), "later_s": between(0.006, 0.01)}
    return run(student, "benchmark", StandIn("sleeping step", delays), n_steps=n), n


def first_call(called: Called) -> float:
    _, around = record(called.logs[0])
    reported = reading(called.value, "first_call_s")
    return reported / unit_of(reported, around[0])


@pytest.mark.grade("benchmark-first", points=1)
def test_first_call_is_the_very_first(student):
    """`first_call_s` is the time of the very first call of `step`"""
    called, _ = slow_start(student)
    spent, around = record(called.logs[0])
    reported = first_call(called)
    assert within(reported, (spent[0], np.inf)), (
        "The first call of this step is slow, and `first_call_s` is shorter than it. Time the very "
        "first call of `step` inside `benchmark`; nothing may warm it up before."
    )
    assert within(reported, (spent[0], around[0])), (
        "`first_call_s` is longer than the first call of `step` took: it holds one call only."
    )


@pytest.mark.grade("benchmark-first", points=1)
def test_mean_leaves_out_the_first_call(student):
    """`mean_step_s` leaves out the first call"""
    called, n = slow_start(student)
    _, high = mean_bounds(called.logs[0], 1)  # of any one step: how they are averaged is not asked
    assert high, "`step` was called only once."
    reported = reading(called.value, "mean_step_s")
    assert mean_within(student, reported, (0, high), n), (
        "The first call of this step is slow, and `mean_step_s` is longer than any later step: the "
        "first call, which compiles, should not count in the mean."
    )


# --- benchmark-waits -----------------------------------------------------------------------------

NOT_READY = (
    "jax hands back a result before it is computed, so the clock has to be stopped after waiting "
    "for the *result*, with jax.block_until_ready for instance."
)


def heavy(student, name: str) -> tuple[Called, int]:
    """A compiled step of tens of milliseconds. Few of them: the queue holds 32 on a CPU, and a
    loop that does not wait would be held up by a full queue."""
    n = int(RNG.integers(3, 6))
    step = StandIn("heavy step", {"rounds": int(RNG.integers(250, 320))})
    called = run(student, name, step, n_steps=n)
    assert len(called.logs[0]["pending"]) > 1, f"`{name}` called the function only once."
    return called, n


def assert_long_enough(student, called: Called, key: str, n: int) -> None:
    wait = shortest_wait(called.logs[0], n)
    enough = within(reading(called.value, key), (wait, np.inf))
    # A clock that stands still while a step sleeps is the business of other checks.
    assert enough or own_factor(student, n) <= SEES_SLEEP, (
        f"`{key}` is shorter than these steps took: {NOT_READY}"
    )


def shortest_wait(log: dict, n: int) -> float:
    """What the mean of any ``n`` calls after the first, or any one of them, cannot be below, if
    they are waited for."""
    pending = log["pending"][1:]
    n = min(n, len(pending))
    in_a_row = (union(pending[i : i + n]) / n for i in range(len(pending) - n + 1))
    return min(*in_a_row, *(end - start for start, end in pending))


@pytest.mark.grade("benchmark-waits", points=2)
def test_every_step_is_waited_for(student):
    """The steps are waited for before the clock is stopped"""
    called, n = heavy(student, "benchmark")
    assert called.logs[0]["ready"][-1], (
        f"`benchmark` returned while its last step was still running: {NOT_READY}"
    )
    assert_long_enough(student, called, "mean_step_s", n)


@pytest.mark.grade("benchmark-waits", points=1)
def test_first_call_is_waited_for(student):
    """The first call is waited for as well"""
    called, _ = heavy(student, "benchmark")
    log = called.logs[0]
    assert log["ready"][0], f"The second call began while the first was still running: {NOT_READY}"
    if own_factor(student, 3) <= SEES_SLEEP:
        return
    sleepy, _ = slow_start(student)  # timing a later call instead of the first has its own check
    spent, _ = record(sleepy.logs[0])
    timed = 0 if within(first_call(sleepy), (spent[0], np.inf)) else 1
    wait = union(log["pending"][timed : timed + 1])
    assert within(reading(called.value, "first_call_s"), (wait, np.inf)), (
        f"`first_call_s` is shorter than the first call took: {NOT_READY}"
    )


# --- compare-jit ---------------------------------------------------------------------------------

EAGER = ("eager", "disabled")


@pytest.fixture(scope="module")
def compared(student) -> tuple[Called, int]:
    """A comparison of a function whose body, compiled program and first runs sleep differently."""
    n = int(RNG.integers(6, 9))
    delays = {
        "trace_s": between(0.15, 0.18),
        "first_s": between(0.12, 0.15),
        "eager_s": between(0.010, 0.014),
        "compiled_s": between(0.004, 0.006),
    }
    return run(student, "compare_jit", StandIn("traced step", delays), n_steps=n), n


def count(called: Called, *kinds: str) -> int:
    return sum(event[0] in kinds for event in called.logs[0]["events"])


@pytest.mark.grade("compare-jit", points=0.5)
def test_comparison_holds_four_numbers(student, compared):
    """`compare_jit` returns a dict with four numbers, its times in the unit of `benchmark`"""
    called, n = compared
    assert_numbers(called.value, COMPARE_KEYS, "compare_jit", positive=(*MEANS, "speedup"))
    unit = unit_of(reading(called.value, "eager_mean_s"), mean_bounds(called.logs[0], n, EAGER)[1])
    assert unit == unit_of(own_factor(student, n), 1.0), "'eager_mean_s' is not in seconds."


@pytest.mark.grade("compare-jit", points=0.5)
def test_both_loops_take_n_steps(compared):
    """Both loops take n_steps steps after their first call"""
    called, n = compared
    # Whether both are run at all, and warmed up, is the business of other checks.
    for kinds, what in ((EAGER, "the function without jit"), (("compiled",), "the compiled one")):
        calls = count(called, *kinds)
        assert not calls or n <= calls <= 1 + n + MORE_CALLS, (
            f"With n_steps={n}, {what} was called {calls} times. It should be a first time and "
            "then n_steps times: does n_steps reach both loops?"
        )


@pytest.mark.grade("compare-jit", points=2)
def test_jit_compiles_once_and_runs_the_program(compared):
    """The jitted function is compiled once, and the compiled program runs"""
    called, n = compared
    traces, runs = count(called, "trace"), count(called, "compiled")
    assert traces, (
        "The function was never traced, so nothing was compiled. jax.jit(f) returns the compiled "
        "function: it is this that has to be called."
    )
    assert runs, "The function was traced, but the compiled program never ran."
    assert traces < n, (
        f"In {n} steps, the function was traced {traces} times. jax.jit remembers what it compiled "
        "by the function object: make the jitted function once, before the loop."
    )


@pytest.mark.grade("compare-jit", points=1)
def test_eager_is_the_function_as_it_is(compared):
    """The eager time is that of the function called as it is"""
    called, _ = compared
    assert count(called, *EAGER), (
        "The function was never called as it is, with arrays: `eager_mean_s` is the time without "
        "jax.jit."
    )
    assert count(called, "eager"), (
        "The function ran under jax.disable_jit, which also switches off the compiled operations "
        "inside jax.numpy. Eager means calling step_fn(*args)."
    )


@pytest.mark.grade("compare-jit", points=0.5)
def test_jit_mean_is_that_of_compiled_steps(student, compared):
    """`jit_mean_s` is the mean of compiled steps, without tracing and compiling"""
    called, n = compared
    assert count(called, "compiled"), "Nothing compiled has run, so there is no such mean."
    bounds = step_bounds(called.logs[0], n, ("compiled",))
    reported = reading(called.value, "jit_mean_s")
    reported /= unit_of(reported, bounds[1])
    assert mean_within(student, reported, bounds, n), (
        f"`jit_mean_s` is {direction(reported, bounds)} than the compiled steps took after the "
        "first: tracing and compiling do not count in it, and nothing but compiled steps does."
    )


@pytest.mark.grade("compare-jit", points=0.75)
def test_eager_mean_is_that_of_warm_steps(student, compared):
    """`eager_mean_s` is the mean of steps without jit, after a first one"""
    called, n = compared
    assert count(called, *EAGER), "The function was never called as it is, without jax.jit."
    bounds = step_bounds(called.logs[0], n, EAGER)
    reported = reading(called.value, "eager_mean_s")
    reported /= unit_of(reported, bounds[1])
    assert mean_within(student, reported, bounds, n), (
        f"`eager_mean_s` is {direction(reported, bounds)} than the steps without jit took after "
        "the first. The first is slow without jit as well, for jax.numpy compiles each operation "
        "once, and it does not count in the mean."
    )


def direction(reported: float, bounds: tuple[float, float]) -> str:
    return "shorter" if reported < bounds[0] else "longer"


@pytest.mark.grade("compare-jit", points=0.75)
def test_speedup_is_eager_over_jit(compared):
    """`speedup` is the eager mean divided by the jitted mean"""
    called, _ = compared
    jit, eager, speedup = (reading(called.value, key) for key in (*MEANS, "speedup"))
    assert jit > 0 and eager > 0, "A mean time should be positive."
    assert abs(speedup - eager / jit) <= SPEEDUP_RTOL * eager / jit, (
        "`speedup` is not `eager_mean_s` divided by `jit_mean_s`. It says how many times faster "
        "the jitted step is: 1 means equally fast."
    )


@pytest.mark.grade("compare-jit", points=0.5)
def test_overhead_holds_tracing_and_compiling(compared):
    """`compile_overhead_s` is what tracing and compiling cost"""
    called, _ = compared
    low, high = overhead_bounds(called.logs[0])
    reported = reading(called.value, "compile_overhead_s")
    reported /= unit_of(reported, high)
    assert reported > 0, "`compile_overhead_s` is not positive: the first call is the longer one."
    assert within(reported, (low, np.inf)), (
        "`compile_overhead_s` is shorter than tracing took. It is the time of the first call of "
        "the jitted function, with or without the time of a step taken off."
    )
    assert within(reported, (0, high)), (
        "`compile_overhead_s` is longer than tracing, compiling and the first step took together."
    )


def overhead_bounds(log: dict) -> tuple[float, float]:
    """At least a trace less one step (first call minus mean); at most from before a trace to the
    first compiled step after it, and on to whatever came next."""
    traces, _ = record(log, ("trace",))
    assert len(traces), "The function was never traced, so nothing was compiled."
    events, ends, starts = timeline(log)
    longest = step = 0.0
    for i, (kind, _, _) in enumerate(events):
        if kind == "trace":
            later = (j for j in range(i, len(events)) if events[j][0] == "compiled")
            longest = max(longest, starts[next(later, len(events) - 1) + 1] - ends[i])
        elif kind == "compiled" and events[i - 1][0] != "trace":
            step = max(step, starts[i + 1] - ends[i])
    return traces.min() - step, longest


@pytest.mark.grade("compare-jit", points=0.5)
def test_comparison_waits_for_results(student):
    """`compare_jit` waits for the results as `benchmark` does"""
    called, n = heavy(student, "compare_jit")
    assert called.logs[0]["ready"][-1], (
        f"`compare_jit` returned while a step was still running: {NOT_READY}"
    )
    longer = max(MEANS, key=lambda key: reading(called.value, key))  # swapping them has its check
    assert_long_enough(student, called, longer, n)


# --- jit-report ----------------------------------------------------------------------------------


@pytest.mark.grade("jit-report", points=1, notebook=True)
def test_report_is_consistent(student):
    """`report` is what `compare_jit` returns: four positive numbers that fit together"""
    report = student.value("report")
    assert_numbers(report, COMPARE_KEYS, "report", positive=COMPARE_KEYS)
    jit, eager, speedup = (reading(report, key) for key in (*MEANS, "speedup"))
    assert abs(speedup - eager / jit) <= SPEEDUP_RTOL * eager / jit, (
        "In `report`, `speedup` is not `eager_mean_s` divided by `jit_mean_s`."
    )


# Measured over 20 start values (scripts/measure_thresholds.py, jax 0.10.1, two cores at a load of
# 7.5): mean 14.9, sd 5.1, smallest 5.2, largest 24.1. It is a ratio of two times of one run, so a
# slow machine changes both.
FASTER_THAN = 1.0


@pytest.mark.grade("jit-report", points=1, notebook=True)
def test_jit_is_faster_on_the_lessons_step(student):
    """On the lesson's training step, jit is faster"""
    speedup = reading(student.value("report"), "speedup")
    assert speedup > FASTER_THAN, (
        f"`report` says that jit made the lesson's training step {speedup:.2f} times as fast. Is "
        "`report` the comparison of `training_step`, and is its first call left out of the means?"
    )


def assert_numbers(value, keys: tuple, name: str, positive: tuple | None = None) -> None:
    assert isinstance(value, dict), f"`{name}` should give a dict, and it is {kind_of(value)}."
    for key in keys:
        assert key in value, f"`{name}` has no entry '{key}'; it has {sorted(map(str, value))}."
        entry = number(value[key], f"'{key}'")
        assert entry > 0 or key not in (keys if positive is None else positive), (
            f"'{key}' should be positive, and it is {entry:g}."
        )
