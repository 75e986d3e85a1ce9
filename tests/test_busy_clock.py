"""Exercise 4's checks when a busy machine holds up one call: no mistake hides behind the delay.

The clock here is made up, so that a delay comes where a test wants it.
"""

import importlib
from collections.abc import Callable

import pytest

from jaxercise.student import Called

FAST_S, SLOW_S = 0.006, 0.045  # of steps; the first call takes as long as they do on average
HOLDUP_S = 0.026  # the first call then seems to take as long as a slow step
READING_S = 0.0001  # from the end of a step to the reading of the clock after it


class Answer:
    """A ``student`` whose ``benchmark`` is given the times of its calls.

    Args:
        mean: from the seconds of the calls after the first to what is returned.
        late: seconds added to the first call of the first run, as (before the call, in it).
    """

    def __init__(self, mean: Callable[[list[float]], float], late: tuple[float, float]):
        self.mean, self.late, self.runs = mean, late, 0

    def watch(self, name: str, step, *args, n_steps: int) -> Called:
        late = self.late if not self.runs else (0.0, 0.0)
        self.runs += 1
        now, times, events = 100.0, [], []
        for n in range(n_steps + 1):
            settings = step.settings
            slow = n and n % settings["every"] == 0
            seconds = settings["slow_s"] if slow else settings["later_s" if n else "first_s"]
            before, inside = (0.0, 0.0) if n else late
            start = now + READING_S + before
            end = start + seconds + inside
            events.append(["call", start, end])
            times.append(end + READING_S - now)
            now = end + READING_S
        value = {"first_call_s": times[0], "mean_step_s": self.mean(times[1:])}
        return Called(value, [], [{"events": events, "called": 100.0, "returned": now}])


@pytest.fixture
def checks(monkeypatch, request):
    monkeypatch.syspath_prepend(request.config.rootpath / "tests" / "checks")
    return importlib.import_module("test_jit_benchmark")


@pytest.mark.parametrize("late", [(HOLDUP_S, 0.0), (0.0, HOLDUP_S)], ids=["before it", "in it"])
def test_a_late_first_call_does_not_excuse_the_last_step(checks, late):
    last = Answer(lambda times: times[-1], late)
    runs = checks.uneven(last, 3, later_s=FAST_S, slow_s=SLOW_S)
    assert last.runs == 2
    assert not any(checks.is_mean_of_all(run, checks.Habit()) for run in runs)


@pytest.mark.parametrize("late", [(HOLDUP_S, 0.0), (0.0, HOLDUP_S)], ids=["before it", "in it"])
def test_a_late_first_call_costs_a_mean_nothing(checks, late):
    right = Answer(lambda times: sum(times) / len(times), late)
    runs = checks.uneven(right, 3, later_s=FAST_S, slow_s=SLOW_S)
    assert all(checks.is_mean_of_all(run, checks.Habit()) for run in runs)
