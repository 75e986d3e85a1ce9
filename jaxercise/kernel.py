"""``grade("cell-id")``: the hidden checks of one graded cell, in the instructor's own kernel.

Here answers and checks share one process, as in plain nbgrader, so nothing is isolated. A class
is graded by ``grading`` instead, with the same checks.
"""

from collections.abc import Callable, Mapping
from typing import Any

from IPython import get_ipython

from jaxercise import course, exhibits, judging, probe, report, runner, settings
from jaxercise.student import Student


def grade(cell_id: str) -> float:
    """Check the answers in this kernel against one graded cell, and print what was found.

    Returns:
        The points earned, a plain Python float: the last line of a graded cell, from which plain
        nbgrader reads the mark.

    Raises:
        CourseError: there is no such graded cell.
    """
    exercise = course.load_course(settings.find_root()).exercise_of_cell(cell_id)
    student = student_of_namespace(get_ipython().user_ns)
    verdict = judging.judge(exercise.name, exercise.checks, student, cells=[cell_id])
    print(report.as_lines(verdict.checks))
    return float(verdict.cell_score(cell_id))


def student_of_namespace(namespace: dict[str, Any]) -> Student:
    """A ``Student`` whose names live in this process."""
    loaded: dict[bytes, Any] = {}
    return Student(
        ask_probe=_through_bytes(
            lambda request: probe.answer(request, namespace), probe.encode_reply
        ),
        ask_runner=_through_bytes(lambda request: runner.answer(request, loaded), exhibits.encode),
    )


def _through_bytes(answer: Callable, encode: Callable) -> Callable[[Mapping], dict]:
    """Encode and decode both ways, so that a check sees here exactly what it sees elsewhere."""

    def ask(request: Mapping[str, Any]) -> dict:
        return exhibits.decode(encode(answer(exhibits.decode(exhibits.encode(request)))))

    return ask
