"""A student's copy of a lesson, where no hidden checks are: the visible ones, and its notebook.

The package ``visible_checks`` beside the notebooks says what is looked at; it runs in a process of
its own, with the student's rights. This module must not know an exercise, nor import a course.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "visible_checks"


@dataclass(frozen=True)
class Due:
    """An exercise: grade ids of its cells, and how many checks it has.

    Attributes:
        answers: cells that the student writes.
        graded: cells that points are given for.
        visible: how many checks students have.
        hidden: how many they do not have.
    """

    answers: list[str]
    graded: list[str]
    visible: int
    hidden: int


class NoVisibleChecks(Exception):
    """Neither a course nor a student's copy of one is to be found here."""


def lesson_folder(start: Path) -> Path:
    """The folder with the visible checks: ``start`` or one above it.

    Raises:
        NoVisibleChecks: there is none.
    """
    for folder in (start, *start.parents):
        if (folder / PACKAGE / "__main__.py").is_file():
            return folder
    raise NoVisibleChecks(
        f"There are no checks here: neither {start} nor a folder above it holds a course, or "
        f"'{PACKAGE}' as handed out with the notebooks. Go to the folder of the notebooks."
    )


def check_files(folder: Path, exercise: str, files: Sequence[Path], as_json: bool) -> int:
    """Run the visible checks on files of answers; they print, and give the exit status."""
    options = ["--json"] if as_json else []
    command = [*_command(), exercise, *map(str, files), *options]
    return subprocess.run(command, env=environment(folder)).returncode


def exercises(folder: Path) -> dict[str, Due]:
    """What the lesson's exercises consist of, by name.

    Raises:
        NoVisibleChecks: the package is broken.
    """
    command = [*_command(), "--list"]
    done = subprocess.run(command, env=environment(folder), capture_output=True, text=True)
    try:
        return {name: Due(**fields) for name, fields in json.loads(done.stdout).items()}
    except (ValueError, TypeError):
        last = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        raise NoVisibleChecks(f"{folder / PACKAGE} cannot be used: {last}") from None


def environment(folder: Path) -> dict[str, str]:
    """Where a lesson's modules are found, before all others."""
    places = [str(folder), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))}


def _command() -> list[str]:
    return [sys.executable, "-m", PACKAGE]
