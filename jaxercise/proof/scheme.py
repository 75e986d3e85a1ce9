"""Writes each exercise's mark scheme as a table: the checks, their points, what loses them.

The tables stand in ``docs/marking.md``; a test holds them against the checks and the stored
answers. This module must not grade anything.
"""

from pathlib import Path

from jaxercise import grading, report
from jaxercise.course import Course, Exercise
from jaxercise.proof import results, stored
from jaxercise.proof.stored import StoredAnswer
from jaxercise.student import MISTAKES

DOCUMENT = Path("docs", "marking.md")
BEGIN, END = "<!-- the mark scheme: written by `jaxercise proof scheme` -->", "<!-- end -->"


def tables(course: Course) -> str:
    """One table an exercise, as Markdown."""
    return "\n".join(_table(course, exercise) for exercise in course.exercises)


def _table(course: Course, exercise: Exercise) -> str:
    answers = stored.read_answers(course.root / "tests" / "answers" / exercise.name)
    due = grading.due_checks(exercise).checks
    in_notebooks = {check.id for check in results.due_checks(exercise)}
    lines = [
        f"### {exercise.name}: {report.points(exercise.points)} points\n",
        "| check | points | what it shows | mistakes that lose it |",
        "|---|---|---|---|",
    ]
    cells = [cell.grade_id for cell in exercise.cells]
    for check in sorted(due, key=lambda check: cells.index(check.cell)):
        concerned = [a for a in answers if a.results == (check.id in in_notebooks)]
        lost = ", ".join(losing(check.id, concerned)) or "none that has a name"
        lines.append(f"| `{check.id}` | {report.points(check.points)} | {check.title} | {lost} |")
    return "\n".join([*lines, ""])


MOST = 1_000  # more checks than any exercise has


def losing(check_id: str, answers: list[StoredAnswer]) -> list[str]:
    """Names of the mistakes of stored answers that fail a check, the most narrow ones first.

    Args:
        answers: those that this check judges: functions, or results of notebooks.

    Answers that are missing or stop with an error fail whatever they touch and are left out.
    """
    narrow: dict[str, int] = {}
    for answer in answers:
        if answer.loses is None or check_id in answer.loses:
            breadth = MOST if answer.loses is None else len(answer.loses)
            for name in answer.mistakes - set(MISTAKES.values()):
                narrow[name] = min(breadth, narrow.get(name, MOST))
    return sorted(narrow, key=lambda name: (narrow[name], name))


def document(course: Course) -> tuple[str, str]:
    """``docs/marking.md`` as it is, and as it should be.

    Raises:
        ValueError: the document has no place for the tables.
    """
    text = (course.root / DOCUMENT).read_text()
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{DOCUMENT} has no lines {BEGIN!r} and {END!r}")
    return text, f"{head}{BEGIN}\n\n{tables(course)}\n{END}{tail}"
