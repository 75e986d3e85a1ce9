"""Reads the gradebook's marks: by exercise, as columns of a table, and by cell.

It must not know files or other systems, and must not write to the gradebook.
"""

from dataclasses import dataclass

from nbgrader.api import (
    Assignment,
    BaseCell,
    Grade,
    Gradebook,
    Notebook,
    SubmittedAssignment,
    SubmittedNotebook,
)

Marks = dict[tuple[str, str], dict[str, float]]  # by lesson and exercise, by student


@dataclass(frozen=True)
class Column:
    """An exercise with the points that it is worth, or the total of several."""

    title: str
    points: float
    exercises: tuple[tuple[str, str], ...]

    def mark(self, marks: Marks, student: str) -> float | None:
        """None where nothing was handed in: that is no zero until the instructor says so."""
        found = [marks[key][student] for key in self.exercises if student in marks.get(key, {})]
        return sum(found) if found else None


@dataclass(frozen=True)
class Mark:
    """A cell's mark as it counts, and what the checks alone gave."""

    final: float
    auto: float | None


def columns_of(lesson: Assignment, which: str) -> list[Column]:
    """A lesson's exercises and its total ("all"), or one of both ("exercises", "totals")."""
    notebooks = sorted(lesson.notebooks, key=lambda notebook: notebook.name)
    exercises = [
        Column(f"{lesson.name}: {n.name}", float(n.max_score), ((lesson.name, n.name),))
        for n in notebooks
        if n.grade_cells or n.task_cells
    ]
    keys = tuple(key for column in exercises for key in column.exercises)
    total = Column(f"{lesson.name}: total", sum(column.points for column in exercises), keys)
    return (exercises if which != "totals" else []) + ([total] if which != "exercises" else [])


def marks_in(gradebook: Gradebook) -> Marks:
    """Every mark of an exercise that the gradebook holds."""
    rows = (
        gradebook.db.query(
            Assignment.name,
            Notebook.name,
            SubmittedAssignment.student_id,
            SubmittedNotebook.score,
            SubmittedNotebook.late_submission_penalty,
        )
        .select_from(SubmittedNotebook)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
    )
    marks: Marks = {}
    for lesson, exercise, student, score, penalty in rows:
        mark = max(0.0, float(score) - (penalty or 0.0))
        marks.setdefault((lesson, exercise), {})[student] = mark
    return marks


def cells_in(gradebook: Gradebook) -> dict[tuple[str, str, str], dict[str, Mark]]:
    """The marks of cells, by student, lesson and exercise."""
    rows = (
        gradebook.db.query(
            SubmittedAssignment.student_id,
            Assignment.name,
            Notebook.name,
            BaseCell.name,
            Grade.score,
            Grade.auto_score,
        )
        .select_from(Grade)
        .join(BaseCell, BaseCell.id == Grade.cell_id)
        .join(SubmittedNotebook, SubmittedNotebook.id == Grade.notebook_id)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
    )
    cells: dict[tuple[str, str, str], dict[str, Mark]] = {}
    for student, lesson, exercise, cell, final, auto in rows:
        cells.setdefault((student, lesson, exercise), {})[cell] = Mark(float(final), auto)
    return {key: cells[key] for key in sorted(cells)}
