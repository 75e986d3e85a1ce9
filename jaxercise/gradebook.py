"""The one writer: drives nbgrader's converters, which write files and the gradebook.

It must not run student code; what it records has been judged before.
"""

import glob
import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.apps import NbGrader
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from jaxercise import settings
from jaxercise.course import Course, CourseError, Lesson
from jaxercise.settings import CONFIG, Confinement

__all__ = ["CONFIG", "autograde", "convert", "feedback", "knows", "notebooks_in", "scores"]

LOG = Path(".jaxercise") / "nbgrader.log"


class _ByName:
    """Lists students' folders and notebooks for nbgrader, which takes each name for a pattern and
    so passes over a student called ``ada [2]``."""

    assignments: dict[str, list[str]]
    notebooks: list[str]
    coursedir: CourseDirectory
    _input_directory: str

    def init_notebooks(self) -> None:
        top = Path(self.coursedir.root, self._input_directory)
        folders = sorted(top.glob(f"*/{glob.escape(self.coursedir.assignment_id)}"))
        found = {str(folder): notebooks_in(folder) for folder in folders}
        self.assignments = {folder: notebooks for folder, notebooks in found.items() if notebooks}
        self.notebooks = []


class _Autograde(_ByName, Autograde):
    """nbgrader's own, for students of whatever name."""


class _GenerateFeedback(_ByName, GenerateFeedback):
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


def autograde(course: Course, lesson: Lesson, staged: Path, confinement: Confinement) -> None:
    """Record a class whose restored notebooks stand in ``staged`` and whose verdicts are kept."""
    changes = Config()
    changes.CourseDirectory.submitted_directory = str(staged.relative_to(course.root))
    changes.Autograde.permissions = 644
    changes.Jaxercise.sandbox = confinement.kind
    convert(_Autograde, course.root, lesson.name, changes)


def feedback(course: Course, lesson: Lesson) -> None:
    """Write the feedback pages of everyone whose work was recorded."""
    convert(_GenerateFeedback, course.root, lesson.name)


def scores(course: Course, lesson: Lesson) -> dict[str, dict[str, float]]:
    """Recorded points by student and exercise; hand-given marks and late penalties count."""
    with open_gradebook(course.root) as gb:
        found: dict[str, dict[str, float]] = {}
        for submission in gb.assignment_submissions(lesson.name):
            found[submission.student.id] = {
                nb.name: float(nb.score) - (nb.late_submission_penalty or 0.0)
                for nb in submission.notebooks
            }
        return found
