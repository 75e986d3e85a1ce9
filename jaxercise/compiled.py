"""Compiled programs kept between answers, so that nobody waits for XLA twice.

Runners share one folder: no student's code runs in them. An answer's process gets a private copy
of what the model solution's run left, so that it can read compiled code and poison nobody's. This
module must not know checks or points.
"""

import hashlib
import shutil
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from jaxercise.course import Exercise, Lesson
from jaxercise.hosts import PRIVATE


def programs(lesson: Lesson) -> Path:
    """Where runners keep the programs of all answers."""
    return _root(lesson) / "programs"


def lend(exercise: Exercise, lesson: Lesson, kind: str, folder: Path) -> None:
    """Copy what the model solution's run left, if there was one, into a scratch folder."""
    kept = _kept(exercise, lesson, kind)
    if kept.is_dir():
        shutil.copytree(kept, folder / PRIVATE)


def fill(exercise: Exercise, lesson: Lesson, kind: str, run: Callable[[Path], object]) -> None:
    """Let ``run(folder)`` run the model solution with an empty cache, and keep what it left.

    Args:
        kind: "file" or "notebook"; they compile different things.
        run: runs the solution in a scratch folder of its own whose ``PRIVATE`` is ``folder``.
    """
    kept = _kept(exercise, lesson, kind)
    if kept.is_dir():
        return
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as name:
        fresh = Path(name) / "fresh"
        fresh.mkdir()
        run(fresh)
        if not kept.exists():
            fresh.rename(kept)  # whole or not at all


def _kept(exercise: Exercise, lesson: Lesson, kind: str) -> Path:
    """One folder for each state of the notebook, the checks and the compiler."""
    state = hashlib.sha256(version("jaxlib").encode())
    for path in (exercise.notebook, exercise.checks):
        state.update(path.read_bytes())
    return _root(lesson) / kind / f"{exercise.name}-{state.hexdigest()[:12]}"


def _root(lesson: Lesson) -> Path:
    return lesson.folder.parents[1] / ".jaxercise" / "compiled"
