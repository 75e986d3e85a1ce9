"""Every stored answer, right and wrong: right ones get full marks, wrong ones lose what they say.

`make test` runs a third of the right answers and a sixth of the wrong ones, to save time; CI
runs all the others too (marked exhaustive). One line adds a case: a file in
tests/answers/<exercise>/right or .../wrong. Its first line says what it is; a wrong one's second
line is "# loses: check-id, check-id".
"""

from pathlib import Path

import pytest

from jaxercise import classroom, grading, sample_class
from jaxercise.course import load_course, read_notebook
from jaxercise.restore import restore
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
    return stored(exercise, "right")[::3] + stored(exercise, "wrong")[::6]


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


# An answer is judged alike as a file and in a notebook. Right ones get all points there, also for
# the results that the notebook's other cells compute with them.


def test_in_a_notebook_an_answer_gets_what_it_gets_as_a_file(the_course):
    exercise = "3-generic-forward"
    files = stored(exercise, "right")[1:2] + stored(exercise, "wrong")[1:2]
    assert_same_in_notebooks(the_course, exercise, files)


@pytest.mark.exhaustive
@pytest.mark.parametrize("exercise", EXERCISES)
def test_in_a_notebook_every_right_answer_gets_all_points(the_course, exercise):
    assert_same_in_notebooks(the_course, exercise, stored(exercise, "right"))


def assert_same_in_notebooks(the_course, exercise: str, files: list[Path]) -> None:
    with classroom.pool(classroom.default_workers()) as executor:
        arguments = [(the_course.root, exercise, path) for path in files]
        verdicts = list(executor.map(grade_in_notebook, *zip(*arguments)))
    for path, verdict in zip(files, verdicts):
        reasons = {check.id: check.message for check in verdict.checks if not check.passed}
        assert verdict.full_marks == (path.parent.name == "right"), (path.name, reasons)
        due = grading.due_checks(the_course.exercise(exercise), notebook=False).checks
        lost = reasons.keys() & {check.id for check in due}
        assert lost == loses(path), (path.name, reasons)


def grade_in_notebook(root: Path, exercise_name: str, path: Path):
    """In a worker: the released notebook with the answer in it, restored, run and judged."""
    course = load_course(root)
    exercise = course.exercise(exercise_name)
    lesson = course.lesson_of(exercise)
    released = read_notebook(root / "release" / lesson.name / exercise.notebook.name)
    handed_in = sample_class.with_answer(released, exercise, path.read_text())
    restored = restore(handed_in, read_notebook(exercise.notebook)).notebook
    return grading.grade_notebook(exercise, lesson, restored, Confinement()).verdict
