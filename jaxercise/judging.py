"""Runs an exercise's pytest checks against a student and collects one result a check.

It must not know where the student's code runs, nor what becomes of the results.
"""

import inspect
import os
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from jaxercise.student import AnswerError, Student
from jaxercise.verdict import CheckResult, Verdict

PYTEST_OPTIONS = [
    "--assert=plain",  # pytest's own explanation of an assert would show expected values
    "--disable-plugin-autoload",
    "--import-mode=importlib",
    "-pno:terminal",
    "-pno:cacheprovider",
    "-pno:warnings",  # a student's warning never costs a mark
    "-pno:logging",
    "-pno:faulthandler",
    "-pno:threadexception",  # what other code of this process left open is no check's business
    "-pno:unraisableexception",
    "--capture=no",
    f"-c{os.devnull}",
    "--noconftest",
]
CHECK_IS_AT_FAULT = (
    "This check stopped with an error of its own, so no points were given; "
    "please tell your instructor."
)


class Judge:
    """Pytest plugin: hands the checks their ``student`` and keeps what came out."""

    def __init__(self, student: Student | None, cells: Collection[str] | None, notebook: bool):
        self.subject, self.cells, self.notebook = student, cells, notebook
        self.results: dict[str, CheckResult] = {}

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", MARKER)
        # nobody reads pytest's tracebacks, and to write one takes longer than most checks
        config.option.tbstyle = "value"

    @pytest.fixture(scope="session")
    def student(self) -> Student:
        if self.subject is None:
            raise ValueError("checks were listed, not run")
        return self.subject

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if self._is_due(item)]
        for item in items:
            self.results[item.nodeid] = describe(item)

    def _is_due(self, item: pytest.Item) -> bool:
        due = describe(item)
        wanted = self.cells is None or due.cell in self.cells
        return wanted and (self.notebook or not needs_notebook(item))

    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        return True if self.subject is None else None  # True: only list the checks

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo) -> Any:
        outcome = yield
        report, due = outcome.get_result(), self.results[item.nodeid]
        if report.when == "call" and report.passed:
            passed, message, mistake = True, "", ""
        elif report.failed and call.excinfo is not None:
            passed, message = False, explain(call.excinfo.value)
            mistake = getattr(call.excinfo.value, "mistake", "")
        else:
            return
        self.results[item.nodeid] = CheckResult(
            due.id, due.title, due.cell, due.points, passed, message, mistake
        )


MARKER = (
    "grade(cell, points, notebook=False): the graded cell that a check belongs to, what it is "
    "worth, and whether it needs a finished notebook"
)


def describe(item: pytest.Item) -> CheckResult:
    """What an unjudged check is: its id, title, cell and points."""
    marker = item.get_closest_marker("grade")
    if marker is None or "points" not in marker.kwargs:
        raise pytest.UsageError(f"{item.nodeid} lacks @pytest.mark.grade(cell, points=...)")
    doc = inspect.getdoc(getattr(item, "obj", None)) or item.name
    return CheckResult(
        id=item.name.removeprefix("test_").replace("_", "-"),
        title=" ".join(doc.split("\n\n")[0].split()),
        cell=marker.args[0],
        points=float(marker.kwargs["points"]),
        passed=False,
        message="This check was not reached.",
    )


def needs_notebook(item: pytest.Item) -> bool:
    marker = item.get_closest_marker("grade")
    return bool(marker and marker.kwargs.get("notebook"))


def explain(error: BaseException) -> str:
    """A failed check's words for the student: the assertion's message, never a traceback."""
    if isinstance(error, AnswerError | AssertionError) and str(error):
        return str(error)
    return CHECK_IS_AT_FAULT


def judge(
    exercise: str,
    checks: Path,
    student: Student | None,
    cells: Collection[str] | None = None,
    notebook: bool = True,
    plugins: Sequence[object] = (),
) -> Verdict:
    """Run the checks of one module.

    Args:
        exercise: its name, for the verdict.
        checks: the pytest module.
        student: the answer, or None to list the checks without running any.
        cells: only the checks of these graded cells.
        notebook: False leaves out the checks that need a finished notebook.
        plugins: further pytest plugins, such as one that watches.

    Raises:
        RuntimeError: the module itself is broken: pytest could not collect it.
    """
    plugin = Judge(student, cells, notebook)
    with _importable(checks.parent):
        options = [*PYTEST_OPTIONS, f"--rootdir={checks.parent}", str(checks)]
        status = pytest.main(options, [plugin, *plugins])
    ran = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)
    if status not in ran:
        raise RuntimeError(f"the checks in {checks} could not be run (pytest: {status!r})")
    return Verdict(exercise, tuple(plugin.results.values()))


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Let checks import the modules beside them, and forget those afterwards: another course in
    the same process has modules of the same names."""
    names = [path.stem for path in folder.glob("*.py")]
    sys.path.insert(0, str(folder))
    for name in names:
        sys.modules.pop(name, None)
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in names:
            sys.modules.pop(name, None)
