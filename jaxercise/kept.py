"""Verdicts kept between runs, under ``.jaxercise/``: nothing is graded twice.

An entry is used again only while the submission, the exercise, the checks, the engine and the
versions are the same. Entries are written whole or not at all.
"""

import ast
import hashlib
import json
import os
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from jaxercise import verdict
from jaxercise.course import Exercise, Lesson
from jaxercise.grading import Graded
from jaxercise.settings import VERSIONS, Confinement

NAME = "jaxercise"
HALF = ".half"  # ends the name of a file that is being written


@dataclass(frozen=True)
class Place:
    """Whose answer to what."""

    root: Path
    lesson: str
    student: str
    exercise: str

    @property
    def staged(self) -> Path:
        """The restored notebook, where nbgrader reads it as if it had been submitted so."""
        return self._under("staged").with_suffix(".ipynb")

    @property
    def verdict(self) -> Path:
        return self._under("verdicts").with_suffix(".json")

    @property
    def notebook(self) -> Path:
        return self._under("verdicts").with_suffix(".ipynb")

    @property
    def log(self) -> Path:
        """How the verdict was come by, for the instructor."""
        return self._under("logs").with_suffix(".log")

    def _under(self, kind: str) -> Path:
        # with_suffix would cut a name with a dot in it, so one is added first
        return self.root / ".jaxercise" / kind / self.student / self.lesson / f"{self.exercise}.x"


def fingerprint(
    lesson: Lesson, exercise: Exercise, notebook: NotebookNode, confinement: Confinement
) -> str:
    """Hash of all that decides the verdict on a restored notebook."""
    cells = [[cell.cell_type, cell.source] for cell in notebook.cells]
    trouble = notebook.metadata.get("jaxercise", {})
    versions = [version(name) for name in VERSIONS]
    judge = state_of_judge(lesson, exercise)
    everything = [cells, trouble, asdict(confinement), versions, judge]
    return hashlib.sha256(json.dumps(everything, sort_keys=True).encode()).hexdigest()


def state_of_judge(lesson: Lesson, exercise: Exercise) -> str:
    """Hash of all that judges an answer here, versions of libraries aside."""
    digest = hashlib.sha256()
    beside = [path for path in lesson.public_files if path.suffix != ".md"]  # prose changes no mark
    for path in [exercise.notebook, *check_modules(exercise.checks), *beside]:
        digest.update(path.read_bytes())
    digest.update(_engine())
    return digest.hexdigest()


def check_modules(checks: Path) -> list[Path]:
    """A module of checks and those beside it that it imports: what decides its verdicts."""
    found = [checks]
    for path in found:  # grows meanwhile
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            beside = [checks.parent / f"{name}.py" for name in names]
            found += [other for other in beside if other.is_file() and other not in found]
    return found


@cache
def _engine() -> bytes:
    """Hash of this package's modules that grade: another command or page changes no verdict."""
    digest = hashlib.sha256()
    for path in _grading_modules():
        digest.update(path.read_bytes())
    return digest.digest()


def _grading_modules() -> list[Path]:
    """What grades a submission, what checks import, what runs in rooms, and all that those import
    of this package."""
    package = Path(__file__).parent
    found = [package / f"{name}.py" for name in ("classroom", "checks", "nursery")]
    for path in found:  # grows meanwhile
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith(NAME):
                continue
            inner = (node.module or "").removeprefix(NAME).removeprefix(".")
            names = [inner] if inner else [alias.name for alias in node.names]
            beside = [package / f"{name}.py" for name in names]
            found += [other for other in beside if other.is_file() and other not in found]
    return sorted(found)


def load(place: Place, key: str) -> Graded | None:
    """The kept verdict and notebook, if they were made from exactly this."""
    try:
        stored = json.loads(place.verdict.read_text())
        if stored["key"] != key:
            return None
        notebook = nbformat.read(place.notebook, as_version=4)
        return Graded(verdict.from_json(stored["verdict"]), notebook, tuple(stored["repairs"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None  # none there, or damaged by a crash: grade again


def last(place: Place) -> tuple[str, verdict.Verdict] | None:
    """The key and the verdict that were kept last, whatever they were made from."""
    try:
        stored = json.loads(place.verdict.read_text())
        return str(stored["key"]), verdict.from_json(stored["verdict"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def save(place: Place, key: str, graded: Graded) -> None:
    """Keep a verdict; the notebook is written first, so that the key vouches for both."""
    write_whole(place.notebook, nbformat.writes(graded.notebook))
    stored = {"key": key, "verdict": graded.verdict.as_json(), "repairs": list(graded.repairs)}
    write_whole(place.verdict, json.dumps(stored, ensure_ascii=False, indent=1))


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f"{path.name}.{os.getpid()}{HALF}")
    half.write_text(text, encoding="utf-8")
    half.replace(path)


def sweep(root: Path) -> None:
    """Remove from a course's files what processes that ended within ``write_whole`` left."""
    for half in (root / ".jaxercise").rglob(f"*{HALF}"):
        process = half.name.removesuffix(HALF).rpartition(".")[2]
        if not Path("/proc", process).exists():  # a run that is going on may need it yet
            half.unlink(missing_ok=True)
