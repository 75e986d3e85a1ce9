"""Grades one submission: a loose file, or a notebook that is restored, run, judged and annotated.

It must not know other submissions or the gradebook.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from jaxercise import compiled, hosts, judging, kernels, report
from jaxercise.course import Exercise, Lesson, nbgrader_metadata, read_notebook
from jaxercise.restore import restore
from jaxercise.verdict import Verdict, failed

NOT_SUBMITTED = "There is no notebook for this exercise in what was submitted."


@dataclass(frozen=True)
class Graded:
    """A graded notebook.

    Attributes:
        verdict: every check that was due.
        notebook: the restored notebook with its outputs and, in graded cells, what the checks say.
        repairs: what was mended or went wrong as a whole, for the instructor.
    """

    verdict: Verdict
    notebook: NotebookNode
    repairs: tuple[str, ...]


def grade_file(exercise: Exercise, lesson: Lesson, path: Path) -> Verdict:
    """Judge a loose ``.py`` answer by the checks that need no finished notebook."""
    with scratch(exercise, lesson, "file") as folder:
        return _judge_file(exercise, lesson, path, folder)


def _judge_file(exercise: Exercise, lesson: Lesson, path: Path, folder: Path) -> Verdict:
    programs = compiled.programs(lesson)
    with hosts.student_of_file(path.resolve(), folder, programs) as student:
        return judging.judge(exercise.name, exercise.checks, student, notebook=False)


def due_checks(exercise: Exercise, notebook: bool = True) -> Verdict:
    """All checks of an exercise, none of them passed."""
    return judging.judge(exercise.name, exercise.checks, None, notebook=notebook)


def read_submission(path: Path) -> tuple[NotebookNode | None, tuple[str, ...]]:
    """A student's notebook, or None with the reason why it cannot be read."""
    if not path.exists():
        return None, (NOT_SUBMITTED,)
    try:
        notebook = nbformat.read(path, as_version=4)
        _ = [(cell.cell_type, cell.source, cell.metadata) for cell in notebook.cells]
    except Exception as error:
        words = next(iter(str(error).splitlines()), "")[:120]
        return None, (f"The notebook file cannot be read ({type(error).__name__}: {words}).",)
    return notebook, ()


def prepare(exercise: Exercise, path: Path) -> tuple[NotebookNode, bool, tuple[str, ...]]:
    """Restore the submission at ``path``: the notebook, whether there was one, the repairs."""
    submitted, trouble = read_submission(path)
    restored = restore(submitted, read_notebook(exercise.notebook))
    return restored.notebook, submitted is not None, trouble + restored.repairs


def grade_notebook(exercise: Exercise, lesson: Lesson, notebook: NotebookNode) -> Graded:
    """Run a restored notebook in a scratch folder and judge it."""
    with scratch(exercise, lesson, "notebook") as folder:
        return _judge_notebook(exercise, lesson, notebook, folder)


def _judge_notebook(
    exercise: Exercise, lesson: Lesson, notebook: NotebookNode, folder: Path
) -> Graded:
    programs = compiled.programs(lesson)
    with kernels.student_of_notebook(notebook, folder, programs) as (student, host):
        trouble = tuple(host.trouble)
        verdict = judging.judge(exercise.name, exercise.checks, student)
    return Graded(verdict, annotate(notebook, verdict), trouble)


def grade_nothing(exercise: Exercise, notebook: NotebookNode, why: str) -> Graded:
    """Zero for every check of a notebook that is missing or unreadable."""
    verdict = failed(exercise.name, due_checks(exercise).checks, why)
    return Graded(verdict, annotate(notebook, verdict), (why,))


def annotate(notebook: NotebookNode, verdict: Verdict) -> NotebookNode:
    """Show in each graded cell's output what its checks found, and tidy progress output."""
    for cell in notebook.cells:
        meta = nbgrader_metadata(cell)
        if not meta.get("grade"):
            continue
        checks = verdict.of_cell(meta["grade_id"])
        cell.outputs.append(
            nbformat.v4.new_output(
                "display_data",
                {"text/plain": report.as_lines(checks), "text/html": report.as_html(checks)},
            )
        )
    return notebook


@contextmanager
def scratch(exercise: Exercise, lesson: Lesson, kind: str) -> Iterator[Path]:
    """A folder of its own with copies of the lesson's public files, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="jaxercise-") as name:
        folder = Path(name)
        for path in lesson.public_files:
            shutil.copy(path, folder)
        compiled.lend(exercise, lesson, kind, folder)
        yield folder


def fill_compiled(exercise: Exercise, lesson: Lesson, kind: str) -> None:
    """Run the model solution once, so that every answer finds its usual programs compiled."""

    def run(fresh: Path) -> None:
        with scratch(exercise, lesson, kind) as folder:
            (folder / hosts.PRIVATE).symlink_to(fresh)
            if kind == "notebook":
                solved = restore(read_notebook(exercise.notebook), read_notebook(exercise.notebook))
                _judge_notebook(exercise, lesson, solved.notebook, folder)
            else:
                _judge_file(exercise, lesson, exercise.reference, folder)

    compiled.fill(exercise, lesson, kind, run)
