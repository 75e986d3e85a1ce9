"""Remembers for each student what the gradebook and the pages were last written from.

Writing takes a fifth of a second a notebook, which nobody should wait for whose work is the same.
It must not know how anything is graded or written.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from jaxercise import gradebook, kept
from jaxercise.course import Course, Lesson
from jaxercise.submissions import EXCHANGED


def due(course: Course, lesson: Lesson, students: Iterable[str], what: str) -> list[str]:
    """Students for whom it has to be written (again).

    Args:
        what: "autograded", notebooks and marks, which come from the verdicts; or "feedback", pages,
            which show what a person wrote, too.
    """
    entries = gradebook.entries(course, lesson)

    def is_written(student: str) -> bool:
        state = _state(course, lesson, student, entries, what)
        there = (course.root / what / student / lesson.name).is_dir()
        return there and _kept(course, lesson, student).get(what) == state

    return [student for student in students if not is_written(student)]


def keep(course: Course, lesson: Lesson, students: Iterable[str]) -> None:
    """Note that all of it has been written for these."""
    entries = gradebook.entries(course, lesson)
    for student in students:
        states = {
            what: _state(course, lesson, student, entries, what)
            for what in ("autograded", "feedback")
        }
        kept.write_whole(_place(course, lesson, student), json.dumps(states))


def _state(
    course: Course, lesson: Lesson, student: str, entries: dict[str, list], what: str
) -> str:
    digest = hashlib.sha256()
    for exercise in lesson.exercises:
        place = kept.Place(course.root, lesson.name, student, exercise.name)
        digest.update(_bytes(place.verdict) + _bytes(place.staged))
    for name in EXCHANGED:
        digest.update(_bytes(course.root / ".jaxercise/staged" / student / lesson.name / name))
    rows = entries.get(student, [])
    if what == "autograded":  # all that checks give, whatever a person has written beside it
        rows = [row[:3] for row in rows if row[0] == "Grade"]
    digest.update(json.dumps(rows, default=str).encode())
    return digest.hexdigest()


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b"none"


def _place(course: Course, lesson: Lesson, student: str) -> Path:
    return course.root / ".jaxercise" / "recorded" / student / f"{lesson.name}.json"


def _kept(course: Course, lesson: Lesson, student: str) -> dict[str, str]:
    try:
        return dict(json.loads(_place(course, lesson, student).read_text()))
    except (OSError, ValueError, TypeError):
        return {}
