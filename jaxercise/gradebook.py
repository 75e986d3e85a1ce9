"""The one writer: drives nbgrader's converters, which write files and the gradebook.

It must not run student code; what it records has been judged before.
"""

import glob
import logging
import os
import sys
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from nbgrader.api import (
    Assignment,
    Comment,
    Grade,
    Gradebook,
    MissingEntry,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.apps import NbGrader
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SAWarning
from traitlets import HasTraits, List, Unicode
from traitlets.config import Config

from jaxercise import settings
from jaxercise.course import Course, Lesson
from jaxercise.marks import marks_in
from jaxercise.settings import CONFIG, Confinement, CourseError

__all__ = ["CONFIG", "autograde", "convert", "feedback", "knows", "notebooks_in", "scores"]

LOG = Path(".jaxercise") / "nbgrader.log"


class _ByName(HasTraits):
    """Lists students' folders and notebooks for nbgrader, which takes each name for a pattern and
    so passes over a student called ``ada [2]``."""

    students = List(Unicode(), help="Only these.").tag(config=True)
    assignments: dict[str, list[str]]
    notebooks: list[str]
    coursedir: CourseDirectory
    _input_directory: str

    def init_notebooks(self) -> None:
        top = Path(self.coursedir.root, self._input_directory)
        folders = sorted(top.glob(f"*/{glob.escape(self.coursedir.assignment_id)}"))
        wanted = set(self.students)
        found = {str(f): notebooks_in(f) for f in folders if f.parent.name in wanted}
        self.assignments = {folder: notebooks for folder, notebooks in found.items() if notebooks}
        self.notebooks = []


class AutogradeByName(_ByName, Autograde):
    """nbgrader's own, for students of whatever name."""


class GenerateFeedbackByName(_ByName, GenerateFeedback):
    """nbgrader's own, for students of whatever name."""


def notebooks_in(folder: Path, pattern: str = "*") -> list[str]:
    """The notebooks right in a folder, as nbgrader lists them."""
    return sorted(map(str, folder.glob(f"{pattern}.ipynb")))


def convert(converter: type, root: Path, lesson: str, changes: Config | None = None) -> None:
    """Run one of nbgrader's converters over a lesson, as its own command would.

    nbgrader's chatter goes to ``.jaxercise/nbgrader.log``.

    Raises:
        CourseError: nbgrader gave up on something.
    """
    config = settings.read_config(root)
    config.CourseDirectory.assignment_id = lesson
    config.merge(changes or Config())
    app = NbGrader(config=config)
    app.log = _file_logger(root)
    coursedir = CourseDirectory(parent=app, config=config)
    with _programs_on_path(), warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)  # nbgrader adds to sessions that flush late
        try:
            converter(coursedir=coursedir, parent=app, config=config, force=True).start()
        except NbGraderException as error:
            raise CourseError(f"nbgrader could not do its part; {LOG} says why.") from error


def _file_logger(root: Path) -> logging.Logger:
    (root / LOG).parent.mkdir(exist_ok=True)
    logger = logging.getLogger(f"jaxercise.nbgrader.{root}")
    logger.propagate = False
    if not logger.handlers:
        handler = logging.FileHandler(root / LOG, delay=True)
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    return logger


def open_gradebook(root: Path) -> Gradebook:
    config = settings.read_config(root)
    coursedir = CourseDirectory(config=config)
    with _programs_on_path():
        return Gradebook(coursedir.db_url, coursedir.course_id)


@contextmanager
def _programs_on_path() -> Iterator[None]:
    """Let nbgrader find `alembic`, which it calls by its bare name, in this environment."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before


def knows(course: Course, lesson: Lesson) -> bool:
    """Whether the gradebook holds the lesson with the cells and points that the source has."""
    with open_gradebook(course.root) as gb:
        try:
            notebooks = {nb.name: nb for nb in gb.find_assignment(lesson.name).notebooks}
        except MissingEntry:
            return False
        return all(
            exercise.name in notebooks
            and {cell.grade_id: cell.points for cell in exercise.cells}
            == {cell.name: cell.max_score for cell in notebooks[exercise.name].grade_cells}
            for exercise in lesson.exercises
        )


def autograde(
    course: Course,
    lesson: Lesson,
    staged: Path,
    confinement: Confinement,
    students: Collection[str],
) -> None:
    """Record students whose restored notebooks stand in ``staged`` and whose verdicts are kept."""
    changes = Config()
    changes.AutogradeByName.students = sorted(students)
    changes.CourseDirectory.submitted_directory = str(staged.relative_to(course.root))
    changes.Autograde.permissions = 644
    changes.Jaxercise.sandbox = confinement.kind
    convert(AutogradeByName, course.root, lesson.name, changes)


def feedback(course: Course, lesson: Lesson, students: Collection[str]) -> None:
    """Write the feedback pages of students whose work was recorded."""
    changes = Config()
    changes.GenerateFeedbackByName.students = sorted(students)
    convert(GenerateFeedbackByName, course.root, lesson.name, changes)


def entries(course: Course, lesson: Lesson) -> dict[str, list]:
    """By student, all that the gradebook holds on their work: marks, comments and penalties, given
    by a check or by a person."""
    of_grade = (Grade.cell_id, Grade.auto_score, Grade.manual_score, Grade.extra_credit)
    of_comment = (Comment.cell_id, Comment.auto_comment, Comment.manual_comment)
    of_notebook = (SubmittedNotebook.notebook_id, SubmittedNotebook.late_submission_penalty)
    found: dict[str, list] = {}
    with open_gradebook(course.root) as gb:
        for part, columns in ((Grade, of_grade), (Comment, of_comment), (None, of_notebook)):
            rows = gb.db.query(SubmittedAssignment.student_id, *columns)
            if part is not None:
                rows = rows.join(SubmittedNotebook, SubmittedNotebook.id == part.notebook_id)
            rows = (
                rows.join(
                    SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id
                )
                .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
                .filter(Assignment.name == lesson.name)
            )
            for student, *values in rows:
                found.setdefault(student, []).append([part and part.__name__, *values])
    return {student: sorted(rows, key=repr) for student, rows in found.items()}


def scores(course: Course, lesson: Lesson) -> dict[str, dict[str, float]]:
    """Recorded points by student and exercise; hand-given marks and late penalties count."""
    found: dict[str, dict[str, float]] = {}
    with open_gradebook(course.root) as gb:
        marks = {key[1]: m for key, m in marks_in(gb).items() if key[0] == lesson.name}
    for exercise, by_student in marks.items():
        for student, mark in by_student.items():
            found.setdefault(student, {})[exercise] = mark
    return found
