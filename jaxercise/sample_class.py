"""Builds a sample class in ``submitted/``: right answers in several styles, usual mistakes,
half-done and untouched notebooks.

Answers come from ``tests/answers``; students' notebooks are made from ``release/``, as real ones
are. It must not know how anything is graded.
"""

import ast
import hashlib
import json
import random
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from jaxercise.course import (
    Course,
    Exercise,
    Lesson,
    is_answer,
    nbgrader_metadata,
    read_notebook,
)
from jaxercise.kept import write_whole
from jaxercise.settings import CourseError

Recipe = Callable[[Exercise, int], str]  # "reference", "right", "wrong" or "untouched"

ANSWERED_ELSEWHERE = "# I answered this in the first answer cell."

# The first four students show every kind; a class of more than six repeats them with other answers.
STUDENTS: tuple[tuple[str, Recipe], ...] = (
    ("ada", lambda exercise, number: "reference"),
    ("boris", lambda exercise, number: "wrong"),
    ("chiara", lambda exercise, number: "untouched"),
    ("devi", lambda exercise, number: "right" if number < 2 else "untouched"),
    ("emeka", lambda exercise, number: "right"),
    ("finn", lambda exercise, number: "wrong" if number % 2 else "right"),
)


def build(course: Course, lesson: Lesson, students: int, seed: int = 0) -> list[str]:
    """Write ``students`` submissions; returns their names.

    Raises:
        CourseError: ``submitted/`` already holds someone's work, or there is no release.
    """
    target, released = course.root / "submitted", course.root / "release" / lesson.name
    if target.exists() and any(target.iterdir()) and not _has_room(course, lesson):
        raise CourseError(f"{target} is not empty; a sample class is not mixed with real work.")
    if not released.is_dir():
        raise CourseError("There is no release yet: run `jaxercise release` first.")
    rng = random.Random(seed)
    names = []
    for index in range(students):
        name, recipe = STUDENTS[index % len(STUDENTS)]
        round_number = index // len(STUDENTS)
        names.append(name if round_number == 0 else f"{name}-{round_number + 1}")
        for number, exercise in enumerate(lesson.exercises):
            notebook = read_notebook(released / f"{exercise.name}.ipynb")
            kind = recipe(exercise, number)
            if kind == "reference":
                notebook = with_reference(notebook, exercise)
            elif kind != "untouched":
                answer = rng.choice(answers(course, exercise, kind))
                code = re.sub(r"\A(#.*\n)+", "", answer.read_text())  # what the case is: not theirs
                notebook = with_answer(notebook, exercise, code)
            path = target / names[-1] / lesson.name / f"{exercise.name}.ipynb"
            write_whole(path, nbformat.writes(notebook))
    write_whole(course.root / MADE, json.dumps(_contents(course)))
    return names


def _has_room(course: Course, lesson: Lesson) -> bool:
    """Whether only a sample class's work on other lessons is there."""
    return is_ours(course) and not any((course.root / "submitted").glob(f"*/{lesson.name}"))


MADE = Path(".jaxercise") / "sample-class.json"


def is_ours(course: Course) -> bool:
    """Whether all that is in ``submitted/`` is a sample class as ``build`` wrote it."""
    try:
        return bool(json.loads((course.root / MADE).read_text()) == _contents(course))
    except (OSError, ValueError):
        return False


def _contents(course: Course) -> dict[str, str]:
    """Every file of ``submitted/`` with the hash of its content."""
    folder = course.root / "submitted"
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if not path.is_dir()
    }


def answers(course: Course, exercise: Exercise, kind: str) -> list[Path]:
    """The stored answers of a kind, "right" or "wrong"."""
    found = sorted((course.root / "tests" / "answers" / exercise.name / kind).glob("*.py"))
    if not found:
        raise CourseError(f"No {kind} answers to {exercise.name} in tests/answers.")
    return found


def with_reference(notebook: NotebookNode, exercise: Exercise) -> NotebookNode:
    """Fill a released notebook with the instructor's solutions."""
    solutions = _solutions(exercise)
    filled = deepcopy(notebook)
    for cell in filled.cells:
        if is_answer(cell):
            cell.source = solutions[nbgrader_metadata(cell)["grade_id"]]
    return filled


def with_answer(notebook: NotebookNode, exercise: Exercise, code: str) -> NotebookNode:
    """Fill a released notebook with a loose answer: its code, then the instructor's results."""
    solutions = _solutions(exercise)
    filled, placed = deepcopy(notebook), False
    for cell in filled.cells:
        if not is_answer(cell):
            continue
        solution = solutions[nbgrader_metadata(cell)["grade_id"]]
        if cell.cell_type != "code" or not _only_defines(solution):
            cell.source = solution  # a cell of results works with whatever was defined before
        else:
            cell.source, placed = (ANSWERED_ELSEWHERE if placed else code), True
    return filled


def _solutions(exercise: Exercise) -> dict[str, str]:
    marked = ("### BEGIN SOLUTION", "### END SOLUTION")
    return {
        nbgrader_metadata(cell)["grade_id"]: "\n".join(
            line for line in cell.source.splitlines() if line.strip() not in marked
        )
        for cell in read_notebook(exercise.notebook).cells
        if is_answer(cell)
    }


def _only_defines(source: str) -> bool:
    kinds = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    return all(isinstance(node, kinds) for node in ast.parse(source).body)
