"""Judges stored results: files that set the variables of a finished notebook, such as ``norms``.

The checks that need a finished notebook read variables only, so that a file which sets them stands
for a notebook. Whole notebooks are tests/test_answers.py's business.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from jaxercise import grading, hosts, judging
from jaxercise.course import Course, Exercise, load_course
from jaxercise.settings import Confinement
from jaxercise.verdict import CheckResult, Verdict
from jaxercise.workers import crew


def due_checks(exercise: Exercise) -> list[CheckResult]:
    """The checks that need a finished notebook, none of them passed."""
    elsewhere = {check.id for check in grading.due_checks(exercise, notebook=False).checks}
    return [check for check in grading.due_checks(exercise).checks if check.id not in elsewhere]


def check_results(
    course: Course, exercise: str, files: Sequence[Path], workers: int, confinement: Confinement
) -> Iterator[Verdict]:
    """As ``classroom.check_files``, by the checks that need a finished notebook."""
    check = partial(_check_results, course.root, exercise, confinement=confinement)
    with crew(min(workers, len(files))) as at_work:
        for done in at_work.in_order(check, files):
            if done.result is None:
                raise RuntimeError(f"{done.job} could not be graded") from done.error
            yield done.result


def _check_results(root: Path, name: str, path: Path, confinement: Confinement) -> Verdict:
    course = load_course(root)
    exercise = course.exercise(name)
    due = due_checks(exercise)
    files = grading.public_files(course.lesson_of(exercise))
    with hosts.student_of_file(path, confinement, files) as student:
        cells = {check.cell for check in due}
        judged = judging.judge(exercise.name, exercise.checks, student, cells)
    ids = {check.id for check in due}
    return Verdict(name, tuple(check for check in judged.checks if check.id in ids))
