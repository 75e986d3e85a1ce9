"""Answers that attack what asks and judges them: none gains a point.

Each file in tests/attacks is put before the same wrong answer, whose function hands its result to
the attack's ``attack``, if there is one. tests/test_escapes.py tries what can be reached from a
room; docs/trust.md says what a student could still forge.
"""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from jaxercise import classroom, hosts
from jaxercise.settings import Confinement, Limits

pytestmark = pytest.mark.slow

ATTACKS = sorted((Path(__file__).parent / "attacks").glob("*.py"))
EXERCISE = "3-generic-forward"
WRONG = """

def mlp_forward(params, x):
    value = x @ params["layer1"]["w"]
    return attack(value) if "attack" in globals() else value
"""
QUICK = Confinement(limits=Limits(answer_s=4, memory_bytes=1500 * 2**20))


SAMPLE = ATTACKS[::2]  # `make test` tries half, CI all


@pytest.fixture(scope="module")
def verdicts(the_course, tmp_path_factory):
    """See ``attacked``, for the sample."""
    return attacked(the_course, tmp_path_factory.mktemp("answers"), SAMPLE)


def attacked(the_course, folder: Path, attacks: list[Path]) -> dict:
    """What each attack got, by its name; under "alone" the wrong answer without any, and under
    "right" the model solution, graded last by a worker that has had its share of the attacks."""
    files = []
    for path in [None, *attacks]:
        files.append(folder / (path.name if path else "alone.py"))
        files[-1].write_text((path.read_text() if path else "") + WRONG)
    files.append(the_course.exercise(EXERCISE).reference)
    found = classroom.check_files(the_course, EXERCISE, files, 2, QUICK)
    return dict(zip(["alone", *(path.stem for path in attacks), "right"], found))


@pytest.mark.parametrize("name", [path.stem for path in SAMPLE])
def test_no_attack_gains_a_point(verdicts, name):
    assert_gains_nothing(verdicts["alone"], verdicts[name])


@pytest.mark.exhaustive
def test_no_other_attack_does(the_course, tmp_path):
    found = attacked(the_course, tmp_path, sorted(set(ATTACKS) - set(SAMPLE)))
    assert found.pop("right").full_marks
    for verdict in found.values():
        assert_gains_nothing(found["alone"], verdict)


def assert_gains_nothing(alone, attacked) -> None:
    assert 0 <= attacked.score <= alone.score < alone.max_score
    passed = {check.id for check in attacked.checks if check.passed}
    assert passed <= {check.id for check in alone.checks if check.passed}
    for check in attacked.checks:
        if not check.passed:
            assert check.message and "Traceback" not in check.message
            assert "instructor" not in check.message  # the check itself is not at fault


def test_no_attack_outlasts_its_answer(verdicts):
    assert verdicts["right"].full_marks


CLOCKS = """
import time
really, start = time.perf_counter, time.perf_counter()
time.sleep = lambda seconds: None
time.perf_counter = time.monotonic = time.time = lambda: start + (really() - start) * 1e-3
"""


def test_patched_clocks_gain_nothing(the_course, tmp_path):
    """Exercise 4's stand-ins hold on to the real clock."""
    stored = Path(__file__).parent / "answers" / "4-jit-benchmark" / "wrong" / "total_not_mean.py"
    alone, attacked = tmp_path / "alone.py", tmp_path / "attacked.py"
    alone.write_text(stored.read_text())
    attacked.write_text(CLOCKS + stored.read_text())
    honest, forged = classroom.check_files(
        the_course, "4-jit-benchmark", [alone, attacked], 2, Confinement()
    )
    assert {c.id for c in forged.checks if c.passed} <= {c.id for c in honest.checks if c.passed}


X = np.ones((2, 2), np.float32)
PARAMS = {"layer1": {"w": X, "b": X[0]}}


def test_a_stuck_answer_cannot_hold_up_the_grader(tmp_path):
    """Half a reply is not waited for longer than a whole one."""
    path = tmp_path / "answer.py"
    path.write_text((ATTACKS[0].parent / "half_a_reply.py").read_text() + WRONG)
    quick = replace(QUICK, limits=replace(QUICK.limits, answer_s=2))
    with hosts.student_of_file(path, quick, {}) as student:
        reply_time = _seconds(lambda: student.call("mlp_forward", PARAMS, X))
    assert reply_time < 20


def _seconds(ask) -> float:
    start = time.monotonic()
    with pytest.raises(AssertionError, match="took too long"):
        ask()
    return time.monotonic() - start
