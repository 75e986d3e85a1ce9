"""What a stand-in's record says of a benchmark, and which mistake explains what it reported.

Pure arithmetic on reported numbers and recorded times. It must not know points, pytest or JAX.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from jaxercise.checks import Mistake, recognise
from jaxercise.student import AnswerError

# Clocks may differ by a little and numbers may be rounded to the millisecond: an answer may leave
# its bounds by 5 % and a millisecond. Measured (scripts/measure_thresholds.py, 20 runs at a load
# of 7.5 on two cores): the reference left them by 0.0 %, and they were 1.3 % apart (sd
# 0.2 %, largest 1.7 %).
TOLERANCE, TICK_S = 0.05, 0.001
UNITS = (1e3, 1e6, 1e9)
EAGER = ("eager", "disabled")
COMPILED = ("compiled",)


# --- bounds from a record ------------------------------------------------------------------------


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


def step_bounds(log: dict, kinds: tuple[str, ...] = ("call",)) -> tuple[float, float]:
    """Bounds on any average of calls after the first, for steps that sleep equally long: how they
    are averaged has a check of its own. What is compiled ahead needs no first run, so that one
    may count, without what went before it."""
    low, high = mean_bounds(log, 1, kinds)
    events, _, starts = timeline(log)
    runs = [i for i, event in enumerate(events) if event[0] in kinds]
    if kinds == COMPILED and len(runs) > 1:
        _, start, end = events[runs[0]]
        low, high = min(low, end - start), max(high, starts[runs[0] + 1] - start)
    return low, high


def any_call(log: dict) -> tuple[float, float]:
    """Bounds on any average of calls, the first among them."""
    spent, around = record(log)
    return spent.min(), around.max()


def windows(times: np.ndarray, n: int) -> np.ndarray:
    """Means of all runs of ``n`` neighbours; of all of them, if they are fewer."""
    n = min(n, len(times))
    return np.convolve(times, np.full(n, 1 / n), "valid") if n else times


def within(reported: float, bounds: tuple[float, float]) -> bool:
    low, high = bounds
    return (1 - TOLERANCE) * low - TICK_S <= reported <= (1 + TOLERANCE) * high + TICK_S


def first_compilation(log: dict) -> tuple[float, float, float]:
    """Bounds on what the first call of the jitted function took, and on what tracing and compiling
    cost by any of the readings that the contract allows: ``(first, low, high)``.

    ``first`` is the shortest time from the start of a trace to the end of the compiled run after
    it; ``high`` the longest, with the time to the events before and after. ``low`` is a trace
    (compiling ahead of time holds one), or ``first`` less the longest later run.
    """
    events, ends, starts = timeline(log)
    firsts, highs, later = [], [], [0.0]
    for i, (kind, start, _) in enumerate(events):
        if kind == "trace":
            runs = (j for j in range(i, len(events)) if events[j][0] == "compiled")
            j = next(runs, len(events) - 1)
            firsts.append(events[j][2] - start)
            highs.append(starts[j + 1] - ends[i])
        elif kind == "compiled" and events[i - 1][0] != "trace":
            later.append(starts[i + 1] - ends[i])
    if not firsts:
        return 0.0, 0.0, 0.0
    traces, _ = record(log, ("trace",))
    return min(firsts), min(traces.min(), min(firsts) - max(later)), max(highs)


def union(intervals: list) -> float:
    """Seconds covered by intervals that may overlap."""
    total, reached = 0.0, -np.inf
    for start, end in sorted(intervals):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def shortest_wait(log: dict, n: int) -> float:
    """What the mean of any ``n`` calls after the first cannot be below, if they are waited for.

    What watches one result may be late on a busy machine, so that it saw nothing pending; a
    stretch of time in which any of them was pending is sure.
    """
    pending = log["pending"][1:]
    n = min(n, len(pending))
    return min(union(pending[i : i + n]) / n for i in range(len(pending) - n + 1))


# --- how an answer turns seconds into a mean -----------------------------------------------------


@dataclass(frozen=True)
class Habit:
    """What an answer's `benchmark` makes of the mean of equal steps.

    A mean that is off has its own check. The others ask what is left when that is allowed for.

    Attributes:
        unit: 1, or 1000 for milliseconds, and so on.
        sign: -1 for an answer that takes the end from the start.
        kind: a key of ``factors``.
        blind: its clock stands still while a step sleeps.
        explains: whether a habit was found in what was reported.
    """

    unit: float = 1.0
    sign: float = 1.0
    kind: str = "mean"
    blind: bool = False
    explains: bool = False

    def allow_for(self, reported: float, n: int, calls: int) -> float:
        """What was reported for ``n`` steps, had the mean been right."""
        return self.sign * reported / self.unit / factors(n, calls)[self.kind]


def factors(n: int, calls: int) -> dict[str, float]:
    """What a mean of ``n`` equal steps is multiplied by, if ``calls`` calls were made in all."""
    return {
        "mean": 1.0,
        "total": float(n),
        "one too few": n / max(n - 1, 1),
        "one too many": n / (n + 1),
        "a hundred": n / 100,
        "twice": 1 / n,
        "first counted": calls / n,
        "more timed": (calls - 1) / n,
    }


def habit_of(first: float, mean: float, log: dict, n: int) -> Habit:
    """The explanation of what was reported of ``n`` equal steps; a plain habit if there is none.

    Steps oversleep on a busy machine, so all bounds are those of sums of the record.
    """
    spent, around = record(log)
    if len(spent) < 2:
        return Habit()
    low, high = mean_bounds(log, n)
    sign = -1.0 if mean < 0 else 1.0
    if 0 <= first < spent[0] / 2 and 0 <= mean < low / 2:
        return Habit(blind=True)
    bounds = {
        kind: (factor * low, factor * high) for kind, factor in factors(n, len(spent)).items()
    }
    bounds["first counted"] = spent[: n + 1].sum() / n, around[: n + 1].sum() / n
    for unit in (1.0, *UNITS):
        found = sign * mean / unit
        if is_average(found, log, n):
            return Habit(unit, sign, "mean", explains=True)
        near = [
            kind
            for kind, (least, most) in bounds.items()
            if (1 - TOLERANCE) * least <= found <= (1 + TOLERANCE) * most
        ]
        if near:
            off = {kind: abs(np.log(2 * found / sum(bounds[kind]))) for kind in near}
            return Habit(unit, sign, min(near, key=off.__getitem__), explains=True)
    return Habit()


STEADY = 1.12  # half of what the closest mistake makes


def is_steady(log: dict) -> bool:
    """Whether all calls took equally long, so that any average of them is their mean."""
    low, high = any_call(log)
    return high <= STEADY * low


def is_average(found: float, log: dict, n: int) -> bool:
    """Whether a number is the mean of ``n`` steps in a row, or of those and the first call, or the
    time of one call, as a median is; or any average of steady calls."""
    spent, around = record(log)
    means = [mean_bounds(log, n), (spent[: n + 1].mean(), around[: n + 1].mean())]
    singles = list(zip(spent, around))
    return any(within(found, bounds) for bounds in means + singles) or (
        is_steady(log) and within(found, any_call(log))
    )


def unit_of(reported: float, bounds: tuple[float, float]) -> float:
    """1, or the unit in which a report of about so many seconds would be this number."""
    low, high = bounds
    return next((u for u in UNITS if low / 2 <= abs(reported) / u <= 2 * high), 1.0)


UNIT_WORDS = {1e3: "milliseconds", 1e6: "microseconds", 1e9: "nanoseconds"}


def recognise_unit(key: str, unit: float) -> None:
    recognise(
        unit != 1,
        "times-not-in-seconds",
        f"'{key}' is about {unit:.0f} times the seconds that went by: it looks like "
        f"{UNIT_WORDS.get(unit, 'another unit')}. Keys that end in _s hold seconds; turn them into "
        "milliseconds only for printing.",
    )


def recognise_clock_reading(key: str, reported: float, log: dict, n: int) -> None:
    """A number that is what the clock showed, or that divided by ``n``: nothing was taken off."""
    now = time.time()  # a machine has one clock for all its processes
    epoch = (now - 600, now + 600)
    showed = any(
        low <= abs(reported) / unit * times <= high
        for low, high in ((log["called"], log["returned"]), epoch)
        for unit in (1, 1e9)
        for times in (1, n, 0.5, n / 2)
    )
    recognise(
        showed,
        "start-time-not-subtracted",
        f"'{key}' is a reading of the clock, not the time between two readings: take the time at "
        "the start from the time at the end.",
    )


# --- what went wrong inside benchmark ------------------------------------------------------------


def recognise_raised(error: AnswerError) -> None:
    """Errors whose text says which mistake it was."""
    text = str(error)
    recognise(
        "deleted" in text or "donated" in text,
        "arguments-are-donated",
        f"{text}. A donated argument is gone after the call. The arguments are the same at every "
        "call, so none of them may be donated.",
    )
    recognise(
        "block_until_ready" in text and "no attribute" in text,
        "waits-for-single-arrays-only",
        f"{text}. A step may return any pytree of arrays, such as (params, opt_state, loss); "
        "jax.block_until_ready waits for all of its leaves.",
    )
    recognise(
        "Tracer" in text and "`benchmark`" in text,
        "benchmark-traces-the-step",
        "`benchmark` handed tracers to the step, which jax.jit and other transformations do. It "
        "should call step(*args) as it is: whoever wants a jitted step hands one over.",
    )


def recognise_mean(first: float, mean: float, log: dict, n: int) -> None:
    """Why ``mean`` is not the mean of ``n`` equal steps."""
    habit = habit_of(first, mean, log, n)
    recognise(
        habit.sign < 0,
        "start-minus-end",
        "`mean_step_s` is negative. A duration is the later reading of the clock less the earlier.",
    )
    if habit.blind:
        recognise_blind("first_call_s", "mean_step_s", first, mean)
    recognise_zero("mean_step_s", mean)
    recognise(
        0 < mean * n < A_MOMENT_S,
        "clock-not-around-the-calls",
        "Hardly any time went by between the two readings of the clock for `mean_step_s`: all "
        "n_steps calls have to stand between them.",
    )
    recognise(
        habit.kind == "total",
        "total-instead-of-mean",
        "`mean_step_s` is as long as all steps together. It is the mean: divide by n_steps.",
    )
    recognise(
        habit.kind in ("one too few", "one too many", "a hundred", "twice", "more timed"),
        "divided-by-another-number-of-steps",
        f"With n_steps={n}, `mean_step_s` was not the time of the steps divided by their number: "
        "time n_steps calls, no more and no fewer, and divide once, by n_steps.",
    )


def recognise_zero(key: str, reported: float) -> None:
    recognise(
        reported == 0,
        "rounded-to-zero",
        f"'{key}' is exactly 0, which no time is: it was rounded, cut to a whole number, or never "
        "measured. A step may take a millisecond or less; keep the digits.",
    )


A_MOMENT_S = 2e-5  # between two readings of a clock; a step costs its processor 2e-4 s or more


def recognise_blind(one_key: str, other_key: str, first: float, mean: float) -> None:
    """A clock that shows next to nothing for steps that sleep."""
    recognise_zero(one_key, first)
    recognise_zero(other_key, mean)
    recognise(
        min(first, mean) > A_MOMENT_S,
        "clock-counts-processor-time",
        "The step was waiting, not computing, and your clock did not see that time go by. A clock "
        "that counts the work of the processor, such as time.process_time, does not measure how "
        "long a step takes; time.perf_counter does.",
    )
    recognise(
        0 <= first < A_MOMENT_S and 0 <= mean < A_MOMENT_S,
        "clock-not-around-the-calls",
        "Hardly any time went by between the two readings of your clock: the calls of `step` have "
        "to stand between them.",
    )


def thirds(log: dict) -> list[tuple[float, float]]:
    """Bounds on any average of every third call after the first, and on any of the others."""
    times = [t[1:] for t in record(log)]
    third = np.arange(1, len(times[0]) + 1) % 3 == 0
    return [
        (times[0][chosen].min(initial=np.inf), times[1][chosen].max(initial=0))
        for chosen in (third, ~third)
    ]


def recognise_average(reports: list[tuple[float, dict]]) -> None:
    """Which one step was reported in place of the mean.

    Args:
        reports: what was reported and the record, of steps of which every third is slow, the last
            among them, and then of steps of which every third is fast.
    """
    rare = []
    for reported, log in reports:
        every_third, others = (within(reported, bounds) for bounds in thirds(log))
        if every_third == others:
            return
        rare.append(every_third)
    name, what = {
        (False, True): ("fastest-step", "the fastest step"),
        (False, False): ("median-step", "the median of the steps"),
        (True, True): ("last-step", "the last step"),
        (True, False): ("slowest-step", "the slowest step"),
    }[rare[0], rare[1]]
    recognise(
        True,
        f"{name}-instead-of-mean",
        f"When some steps are slower than others, `mean_step_s` is that of {what}. It should be "
        "the mean of them all: their total divided by n_steps.",
    )


def recognise_first_call(first: float, mean: float, log: dict) -> None:
    """What stands in `first_call_s` if the first call was far slower than the later ones."""
    spent, around = record(log)
    later = (spent[1:].min(initial=np.inf), around[1:].max(initial=0))
    recognise_zero("first_call_s", first)
    recognise(
        first < 0,
        "start-minus-end",
        "`first_call_s` is negative. A duration is the later reading of the clock less the "
        "earlier one.",
    )
    recognise(
        within(first, later) and within(mean, (spent[0], around[0])),
        "first-call-and-mean-swapped",
        "`first_call_s` is as long as a later call, and `mean_step_s` as long as the first call: "
        "the two are swapped.",
    )
    recognise(
        first == mean,
        "same-number-under-both-keys",
        "`first_call_s` and `mean_step_s` are the same number. The first call has a time of its "
        "own.",
    )
    recognise(
        within(first, later),
        "warmed-up-before-the-first-call",
        "The first call of this step is slow, and `first_call_s` is only as long as a later call. "
        "Time the very first call of `step` inside `benchmark`; nothing may warm it up before.",
    )
    if first < later[0] / 4:
        if mean < later[0] / 2:
            recognise_blind("first_call_s", "mean_step_s", first, mean)
        recognise(
            first < A_MOMENT_S,
            "clock-not-around-the-calls",
            "Hardly any time went by between the two readings of the clock for `first_call_s`: the "
            "first call has to stand between them.",
        )
    recognise(
        spent[0] - 1.1 * later[1] <= first <= around[0] - 0.9 * later[0],
        "first-call-less-a-step",
        "`first_call_s` is shorter than the first call by about one step. It is the whole first "
        "call; only `compile_overhead_s` may leave out the time of a step.",
    )
    recognise(
        0.95 * spent.sum() <= first <= 1.05 * around.sum(),
        "first-call-is-the-total",
        "`first_call_s` is as long as all calls together: stop its clock after the first one.",
    )


def recognise_first_in_mean(mean: float, log: dict, n: int, kinds: tuple[str, ...], key: str):
    """Whether the first of the calls, which is slow, counts in their mean."""
    recognise(
        any(0.93 * low <= mean <= 1.07 * high for low, high in means_with_first(log, n, kinds)),
        "first-call-counts-in-the-mean",
        f"The first call is slow, and `{key}` is as long as if it counted in the mean. Take the "
        "time at which the mean begins after the first result is there, or leave the first time "
        "out of the sum.",
    )


def means_with_first(log: dict, n: int, kinds: tuple[str, ...]) -> Iterator[tuple[float, float]]:
    """Bounds on means of the first call and some later ones; a trace belongs to a first call."""
    spent, around = record(log, kinds)
    if not len(spent):
        return
    if kinds == COMPILED:
        first, _, high = first_compilation(log)
        spent, around = np.append(first, spent[1:]), np.append(high, around[1:])
    for calls, steps in ((n, n), (n + 1, n + 1), (n + 1, n), (len(spent), len(spent))):
        yield spent[:calls].sum() / steps, around[:calls].sum() / steps


# --- what went wrong inside compare_jit ----------------------------------------------------------


def recognise_compare_mean(
    key: str, jit: float, eager: float, log: dict, n: int, elsewhere: list[float]
) -> None:
    """Why the mean under ``key`` is none of its steps.

    Args:
        elsewhere: both means and the speedup of a function that jit makes faster.
    """
    kinds, mean = (COMPILED, jit) if key == "jit_mean_s" else (EAGER, eager)
    bounds = {kind: step_bounds(log, kind) for kind in (COMPILED, EAGER)}
    traces = sum(event[0] == "trace" for event in log["events"])
    recognise(
        key == "jit_mean_s" and traces >= n,
        "compiles-at-every-step",
        f"In {n} steps, the function was traced {traces} times, so `jit_mean_s` holds tracing and "
        "compiling. Make the jitted function once, before the loop.",
    )
    swapped = within(jit, bounds[EAGER]) and within(eager, bounds[COMPILED])
    recognise(
        swapped and 0 < elsewhere[0] < elsewhere[1],
        "smaller-mean-taken-for-the-jitted-one",
        "Without jit this function is the faster one, and the smaller mean stands under "
        "`jit_mean_s`. Which of the two is faster is what you measure: each goes under its own "
        "key.",
    )
    recognise(
        swapped,
        "means-swapped",
        "`jit_mean_s` is as long as a step without jit, and `eager_mean_s` as long as a compiled "
        "one: the two are swapped.",
    )
    recognise(
        jit == eager,
        "same-number-under-both-keys",
        "`jit_mean_s` and `eager_mean_s` are the same number. Each has its own steps to time.",
    )
    recognise_first_in_mean(mean, log, n, kinds, key)
    _, around = record(log, kinds)
    first, _, high = first_compilation(log)
    low, high = (first, high) if kinds == COMPILED else (record(log, kinds)[0][0], around[0])
    recognise(
        within(mean, (low, high)),
        "first-call-in-place-of-the-mean",
        f"`{key}` is as long as the first call. It is the mean of n_steps calls after that one.",
    )
    recognise(
        within(mean / n, bounds[kinds]),
        "total-instead-of-mean",
        f"`{key}` is as long as all steps together. It is the mean: divide by n_steps.",
    )
    recognise(
        within(mean * n, bounds[kinds]) and mean > 0,
        "divided-by-another-number-of-steps",
        f"`{key}` is shorter than a step by a factor of n_steps={n}. Divide once, by n_steps.",
    )


def recognise_speedup(jit: float, eager: float, speedup: float, elsewhere: list[float]) -> None:
    """What was computed from the two means instead of their ratio."""

    def near(value: float) -> bool:
        return abs(speedup - value) <= 0.02 * abs(value)

    faster_jit, slower_eager, other_speedup = elsewhere
    recognise(
        near(jit / eager)
        and 0 < faster_jit < slower_eager
        and abs(other_speedup * faster_jit / slower_eager - 1) < 0.02,
        "larger-mean-divided-by-the-smaller",
        "Without jit this function is the faster one, so `speedup` is below 1. It is always "
        "`eager_mean_s` divided by `jit_mean_s`, whichever is larger.",
    )
    recognise(
        near(jit / eager),
        "speedup-upside-down",
        "`speedup` is `jit_mean_s` divided by `eager_mean_s`. It says how many times faster the "
        "jitted step is, so `eager_mean_s` is divided by `jit_mean_s`.",
    )
    gain = eager - jit
    saved = [gain, gain / eager, gain / jit]
    recognise(
        any(near(sign * scale * g) for g in saved for sign in (1, -1) for scale in (1, 100, 1e3))
        or near(100 * eager / jit),
        "speedup-is-a-difference-or-a-percentage",
        "`speedup` is a difference or a percentage. It is the plain ratio `eager_mean_s` / "
        "`jit_mean_s`: 1 means equally fast.",
    )
    recognise(
        near(jit * eager) or near(eager) or near(jit),
        "speedup-is-no-ratio",
        "`speedup` is no ratio of the two means. It is `eager_mean_s` divided by `jit_mean_s`.",
    )


def recognise_overhead(overhead: float, log: dict, n: int) -> None:
    """What stands in `compile_overhead_s` instead of the cost of tracing and compiling."""
    traces = sum(event[0] == "trace" for event in log["events"])
    recognise(
        traces >= n,
        "compiles-at-every-step",
        f"In {n} steps, the function was traced {traces} times, so no later call is shorter than "
        "the first. Make the jitted function once, before the loop.",
    )
    first, low, high = first_compilation(log)
    _, step = step_bounds(log, COMPILED)
    recognise(
        within(-overhead, (low, high)),
        "overhead-has-the-wrong-sign",
        "`compile_overhead_s` is negative: it is the first call less a later one, not the other "
        "way round.",
    )
    spent, around = record(log, EAGER)
    if len(spent) > 1:
        recognise(
            spent[0] - around[1:].max() - step <= overhead <= around[0] and overhead > step,
            "overhead-of-the-call-without-jit",
            "`compile_overhead_s` is as long as the first call without jit. What tracing and "
            "compiling cost shows in the first call of the jitted function.",
        )
    recognise(
        abs(overhead) <= (1 + TOLERANCE) * step + TICK_S,
        "overhead-without-compiling",
        "`compile_overhead_s` is no longer than a later step, so tracing and compiling are not in "
        "it. It comes from the very first call of the jitted function, or from compiling it ahead "
        "of time; nothing may have compiled it before.",
    )
    low_step, _ = step_bounds(log, COMPILED)
    recognise(
        first + 0.9 * low_step <= overhead <= high + 1.1 * step,
        "overhead-adds-a-step",
        "`compile_overhead_s` is longer than the first call by a step. It is the first call, or "
        "the first call less a later one.",
    )


def raise_known(error: AnswerError) -> None:
    """Raise the mistake behind an error, or the error itself."""
    try:
        recognise_raised(error)
    except Mistake as mistake:
        raise mistake from error
    raise error
