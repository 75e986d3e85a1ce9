"""What a course is: its lessons, exercises, graded cells, points and files.

Everything is read from the instructor's notebooks and the layout of folders, so a second lesson
is a second folder. It must not know how anything is graded.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from jaxercise import settings
from jaxercise.settings import CourseError


@dataclass(frozen=True)
class GradedCell:
    """A cell of the instructor's notebook that earns points."""

    grade_id: str
    points: float


@dataclass(frozen=True)
class Exercise:
    """One notebook with graded cells, and where what belongs to it stands.

    Attributes:
        name: the notebook's name without its ending, ``1-dropout-keys``.
        notebook: the instructor's notebook.
        checks: its hidden pytest module.
        reference: its model solution as a module.
        cells: its graded cells in the order of the notebook.
    """

    name: str
    notebook: Path
    checks: Path
    reference: Path
    cells: tuple[GradedCell, ...]

    @property
    def points(self) -> float:
        return sum(cell.points for cell in self.cells)


@dataclass(frozen=True)
class Lesson:
    """One nbgrader assignment: a folder under ``source/``."""

    name: str
    folder: Path
    exercises: tuple[Exercise, ...]
    public_files: tuple[Path, ...]


@dataclass(frozen=True)
class Course:
    root: Path
    lessons: tuple[Lesson, ...]

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        return tuple(exercise for lesson in self.lessons for exercise in lesson.exercises)

    def lesson_of(self, exercise: Exercise) -> Lesson:
        return next(lesson for lesson in self.lessons if exercise in lesson.exercises)

    def exercise(self, name: str) -> Exercise:
        """Find an exercise by its whole name, or by its name without the leading number."""
        for exercise in self.exercises:
            if name in (exercise.name, re.sub(r"^\d+-", "", exercise.name)):
                return exercise
        names = ", ".join(exercise.name for exercise in self.exercises)
        raise CourseError(f"There is no exercise named '{name}'. The exercises are: {names}.")

    def exercise_of_cell(self, grade_id: str) -> Exercise:
        for exercise in self.exercises:
            if any(cell.grade_id == grade_id for cell in exercise.cells):
                return exercise
        raise CourseError(f"No exercise has a graded cell '{grade_id}'.")


def load_course(root: Path) -> Course:
    """Read all lessons under ``root/source``."""
    folders = sorted(path for path in (root / "source").iterdir() if path.is_dir())
    public = settings.ours(root).public_files
    return Course(
        root,
        tuple(_load_lesson(root, f, public.get(f.name, [])) for f in folders if f.name[0] != "."),
    )


def _load_lesson(root: Path, folder: Path, public: list[str]) -> Lesson:
    exercises = [_load_exercise(root, path) for path in sorted(folder.glob("*.ipynb"))]
    files = tuple(path for name in public for path in _modules_of(folder / name))
    return Lesson(folder.name, folder, tuple(e for e in exercises if e.cells), files)


def _modules_of(path: Path) -> list[Path]:
    """A public file itself; of a package its modules."""
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def _load_exercise(root: Path, notebook: Path) -> Exercise:
    slug = re.sub(r"^\d+-", "", notebook.stem).replace("-", "_")
    module = f"test_{slug}.py"
    found = sorted((root / "tests" / "checks").rglob(module))
    return Exercise(
        name=notebook.stem,
        notebook=notebook,
        checks=found[0] if found else root / "tests" / "checks" / module,
        reference=root / "reference" / f"{slug}.py",
        cells=tuple(
            GradedCell(meta["grade_id"], float(meta["points"]))
            for meta in map(nbgrader_metadata, read_notebook(notebook).cells)
            if meta.get("grade")
        ),
    )


def read_notebook(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def nbgrader_metadata(cell: NotebookNode) -> dict:
    """The cell's nbgrader metadata, or an empty dict."""
    return cell.metadata.get("nbgrader", {})


def is_answer(cell: NotebookNode) -> bool:
    """Whether the student is to write this cell."""
    return bool(nbgrader_metadata(cell).get("solution"))


def is_free_text(cell: NotebookNode) -> bool:
    """Whether this is a prose cell for the student's own words, which nobody marks."""
    return cell.cell_type == "markdown" and "free-text" in cell.metadata.get("tags", [])
