"""Fixtures of the kit's own tests."""

import shutil
import signal
from pathlib import Path

import pytest

from jaxercise import course, hosts
from jaxercise.settings import Confinement, Limits

ROOT = Path(__file__).parents[1]


def pytest_configure():
    """Started in the background, this process and all that it starts would ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Fast tests first: what is broken shows early."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)


@pytest.fixture(scope="session")
def the_course():
    """This repository's course."""
    return course.load_course(ROOT)


@pytest.fixture
def course_copy(tmp_path):
    """A copy of the course without anything that a run makes, to write into."""
    keep_out = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    for name in ("source", "release", "reference", "tests/checks", "tests/answers"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=keep_out)
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    return course.load_course(tmp_path)


@pytest.fixture
def student_of(tmp_path):
    """``student_of(code, seconds=...)`` gives a ``Student`` whose answer is that code."""
    opened = []

    def open_student(code: str, seconds: float = 20.0, files: dict | None = None):
        path = tmp_path / f"answer{len(opened)}.py"
        path.write_text(code)
        confinement = Confinement(limits=Limits(answer_s=seconds))
        manager = hosts.student_of_file(path, confinement, files or {})
        opened.append(manager)
        return manager.__enter__()

    yield open_student
    for manager in opened:
        manager.__exit__(None, None, None)
