"""Every stored answer, right and wrong: marks, lost checks and named mistakes as their files say.

`make test` grades a sample, to save time; CI grades all the others too (marked exhaustive). One
line adds a case: a file in tests/answers/<exercise>/right or .../wrong, whose first lines say what
it is and what it must lose (jaxercise.proof.stored).
"""

from pathlib import Path

import pytest

from jaxercise import classroom, grading, sample_class
from jaxercise.course import load_course, read_notebook
from jaxercise.proof import results, stored
from jaxercise.proof.rounds import Judge
from jaxercise.proof.stored import StoredAnswer
from jaxercise.restore import restore
from jaxercise.settings import Confinement
from jaxercise.workers import default_workers, local

ANSWERS = Path(__file__).parent / "answers"
EXERCISES = sorted(path.name for path in ANSWERS.iterdir() if path.is_dir())


def all_answers(exercise: str, right: bool | None = None) -> list[StoredAnswer]:
    every = [answer for answer in stored.read_answers(ANSWERS / exercise) if not answer.results]
    return [answer for answer in every if right is None or answer.right == right]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_there_are_enough_and_most_mistakes_are_told_by_name(exercise):
    right, wrong = all_answers(exercise, True), all_answers(exercise, False)
    assert len(right) >= 30 and len(wrong) >= 40
    named = [answer for answer in wrong if answer.mistakes]
    assert len(named) >= 0.85 * len(wrong)
    assert {"stub", "empty", "half_done"} <= {answer.path.stem for answer in wrong}


def sample(exercise: str) -> list[StoredAnswer]:
    return all_answers(exercise, True)[::16] + all_answers(exercise, False)[::32]


@pytest.mark.slow
@pytest.mark.parametrize("exercise", EXERCISES)
def test_right_answers_get_full_marks_and_wrong_ones_lose_what_they_say(the_course, exercise):
    assert_as_stored(the_course, exercise, sample(exercise))


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("exercise", EXERCISES)
def test_all_other_answers_too(the_course, exercise):
    due = [answer for answer in all_answers(exercise) if answer not in sample(exercise)]
    assert_as_stored(the_course, exercise, due)


def assert_as_stored(
    the_course, exercise: str, answers: list[StoredAnswer], judge: Judge = classroom.check_files
) -> None:
    paths, workers = [answer.path for answer in answers], default_workers()
    verdicts = judge(the_course, exercise, paths, workers, Confinement())
    wrong = []
    for answer, verdict in zip(answers, verdicts, strict=True):
        assert verdict.checks
        wrong += [f"{answer.path}: {line}" for line in stored.differences(answer, verdict)]
        assert verdict.full_marks == answer.right or wrong
    assert not wrong, "\n".join(wrong)


RESULTS_OF = "3-generic-forward"  # the sample; those of the others are judged in CI


@pytest.mark.slow
@pytest.mark.parametrize(
    "exercise",
    [
        pytest.param(name, marks=[] if name == RESULTS_OF else pytest.mark.exhaustive)
        for name in EXERCISES
    ],
)
def test_results_of_finished_notebooks_are_judged_as_stored(the_course, exercise):
    cases = [answer for answer in stored.read_answers(ANSWERS / exercise) if answer.results]
    assert {answer.right for answer in cases} == {True, False}
    lost = set().union(*(answer.loses or () for answer in cases))
    assert lost == {check.id for check in results.due_checks(the_course.exercise(exercise))}
    assert_as_stored(the_course, exercise, cases, results.check_results)


# An answer is judged alike as a file and in a notebook. Right ones get all points there, also for
# the results that the notebook's other cells compute with them.


@pytest.mark.slow
@pytest.mark.exhaustive
def test_in_a_notebook_an_answer_gets_what_it_gets_as_a_file(the_course):
    exercise = "3-generic-forward"
    answers = all_answers(exercise, True)[1:2] + all_answers(exercise, False)[1:2]
    assert_same_in_notebooks(the_course, exercise, answers)


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("exercise", EXERCISES)
def test_in_notebooks_answers_of_every_exercise_get_what_they_get_as_files(the_course, exercise):
    assert_same_in_notebooks(the_course, exercise, all_answers(exercise, True)[::16])


def assert_same_in_notebooks(the_course, exercise: str, answers: list[StoredAnswer]) -> None:
    with local(default_workers()) as executor:
        arguments = [(the_course.root, exercise, answer.path) for answer in answers]
        verdicts = list(executor.map(grade_in_notebook, *zip(*arguments)))
    due = {c.id for c in grading.due_checks(the_course.exercise(exercise), notebook=False).checks}
    for answer, verdict in zip(answers, verdicts):
        reasons = {check.id: check.message for check in verdict.checks if not check.passed}
        assert verdict.full_marks == answer.right, (answer.path, reasons)
        loses = due if answer.loses is None else answer.loses
        assert reasons.keys() & due == loses, (answer.path, reasons)


def grade_in_notebook(root: Path, exercise_name: str, path: Path):
    """In a worker: the released notebook with the answer in it, restored, run and judged."""
    course = load_course(root)
    exercise = course.exercise(exercise_name)
    lesson = course.lesson_of(exercise)
    released = read_notebook(root / "release" / lesson.name / exercise.notebook.name)
    handed_in = sample_class.with_answer(released, exercise, path.read_text())
    restored = restore(handed_in, read_notebook(exercise.notebook)).notebook
    return grading.grade_notebook(exercise, lesson, restored, Confinement()).verdict
