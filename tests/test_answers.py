"""Every stored answer, right and wrong: right ones get full marks, wrong ones lose what they say.

`make test` runs half of the right answers and a third of the wrong ones, for the sake of time; CI
runs all the others too (marked exhaustive). One line adds a case: a file in
tests/answers/<exercise>/right or .../wrong. Its first line says what it is; a wrong one's second
line is "# loses: check-id, check-id".
"""

from pathlib import Path

import pytest

from jaxercise import classroom
from jaxercise.settings import Confinement

pytestmark = pytest.mark.slow

ANSWERS = Path(__file__).parent / "answers"
EXERCISES = sorted(path.name for path in ANSWERS.iterdir() if path.is_dir())


def loses(path: Path) -> set[str]:
    """The ids of the checks that the answer must fail: those its second line names, or none."""
    lines = path.read_text().splitlines()
    if path.parent.name == "right":
        return set()
    head, _, ids = lines[1].partition(":")
    assert head == "# loses" and ids.strip(), f"{path.name}: the second line names no check"
    return {part.strip() for part in ids.split(",")}


def stored(exercise: str, kind: str) -> list[Path]:
    return sorted((ANSWERS / exercise / kind).glob("*.py"))


def sample(exercise: str) -> list[Path]:
    return stored(exercise, "right")[::2] + stored(exercise, "wrong")[::3]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_right_answers_get_full_marks_and_wrong_ones_lose_what_they_say(the_course, exercise):
    assert len(stored(exercise, "right")) >= 8
    assert_as_stored(the_course, exercise, sample(exercise))


@pytest.mark.exhaustive
@pytest.mark.parametrize("exercise", EXERCISES)
def test_all_other_answers_too(the_course, exercise):
    every = stored(exercise, "right") + stored(exercise, "wrong")
    assert_as_stored(the_course, exercise, sorted(set(every) - set(sample(exercise))))


def assert_as_stored(the_course, exercise: str, files: list[Path]) -> None:
    """Each file gets full marks or fails exactly the checks that it names."""
    workers = classroom.default_workers()
    verdicts = classroom.check_files(the_course, exercise, files, workers, Confinement())
    wrong = []
    for path, verdict in zip(files, verdicts):
        assert path.read_text().startswith("# "), f"{path.name}: the first line says what it is"
        due = {check.id for check in verdict.checks}
        assert verdict.checks and loses(path) <= due, f"{path.name} names a check that is not there"
        lost = {check.id for check in verdict.checks if not check.passed}
        if lost != loses(path):
            reasons = {check.id: check.message for check in verdict.checks if not check.passed}
            wrong.append(f"{path.parent.name}/{path.name}: lost {reasons}, not {loses(path)}")
        assert verdict.full_marks == (path.parent.name == "right") or wrong
    assert not wrong, "\n".join(wrong)
