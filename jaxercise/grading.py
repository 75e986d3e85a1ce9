"""Grades one submission: a loose file, or a notebook that is restored, run, judged and annotated.

It must not know other submissions or the gradebook.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from jaxercise import compiled, hosts, judging, kernels, report
from jaxercise.course import Exercise, Lesson, nbgrader_metadata, read_notebook
from jaxercise.restore import restore
from jaxercise.settings import Confinement
from jaxercise.student import Student
from jaxercise.submissions import Found
from jaxercise.verdict import Verdict, failed


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


def grade_file(exercise: Exercise, lesson: Lesson, path: Path, confinement: Confinement) -> Verdict:
    """Judge a loose ``.py`` answer by the checks that need no finished notebook."""
    lent, files = compiled.lent(exercise, lesson, "file"), public_files(lesson)
    with hosts.student_of_file(path, confinement, files, lent) as student:
        return judging.judge(exercise.name, exercise.checks, student, notebook=False)


def public_files(lesson: Lesson) -> dict[str, bytes]:
    """What a submission finds in its folder, by name; with its folder if it is in a package."""
    beside = lesson.folder
    return {p.relative_to(beside).as_posix(): p.read_bytes() for p in lesson.public_files}


def due_checks(exercise: Exercise, notebook: bool = True) -> Verdict:
    """All checks of an exercise, none of them passed."""
    return judging.judge(exercise.name, exercise.checks, None, notebook=notebook)


def prepare(exercise: Exercise, found: Found) -> tuple[NotebookNode, tuple[str, ...]]:
    """Restore what was found: the notebook, and notes on what was mended."""
    restored = restore(found.notebook, read_notebook(exercise.notebook))
    return restored.notebook, (*found.notes, *restored.repairs)


def grade_notebook(
    exercise: Exercise, lesson: Lesson, notebook: NotebookNode, confinement: Confinement
) -> Graded:
    """Run a restored notebook in a room of its own and judge it."""
    with run_notebook(exercise, lesson, notebook, confinement) as (student, host):
        verdict = judging.judge(exercise.name, exercise.checks, student)
        trouble = host.trouble
    return Graded(verdict, annotate(notebook, verdict, confinement), trouble)


@contextmanager
def run_notebook(
    exercise: Exercise, lesson: Lesson, notebook: NotebookNode, confinement: Confinement
) -> Iterator[tuple[Student, kernels.KernelHost]]:
    """Run a restored notebook in a room of its own and keep it open for questions."""
    lent, files = compiled.lent(exercise, lesson, "notebook"), public_files(lesson)
    with kernels.student_of_notebook(notebook, confinement, files, lent) as opened:
        yield opened


def fill_compiled(exercise: Exercise, lesson: Lesson, kind: str, confinement: Confinement) -> None:
    """Run the model solution once, so that every answer finds its usual programs compiled."""
    what = {"do": "compiled"}

    def run_file() -> tuple[dict, dict]:
        files = public_files(lesson)
        with hosts.student_of_file(exercise.reference, confinement, files) as student:
            judging.judge(exercise.name, exercise.checks, student, notebook=False)
            return student.ask_probe(what), student.ask_runner(what)

    def run_notebook() -> tuple[dict, dict]:
        solved = restore(read_notebook(exercise.notebook), read_notebook(exercise.notebook))
        files = public_files(lesson)
        with kernels.student_of_notebook(solved.notebook, confinement, files) as (student, _):
            judging.judge(exercise.name, exercise.checks, student)
            return student.ask_probe(what), student.ask_runner(what)

    compiled.fill(exercise, lesson, kind, run_notebook if kind == "notebook" else run_file)


def grade_nothing(exercise: Exercise, notebook: NotebookNode, why: str) -> Graded:
    """Zero for every check of a notebook that is missing or unreadable."""
    verdict = failed(exercise.name, due_checks(exercise).checks, why)
    return Graded(verdict, annotate(notebook, verdict, Confinement()), (why,))


def annotate(notebook: NotebookNode, verdict: Verdict, confinement: Confinement) -> NotebookNode:
    """Show in each graded cell's output what its checks found, and on top where it ran."""
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
    if confinement.kind != "bubblewrap":
        notice = nbformat.v4.new_markdown_cell(report.NO_SANDBOX, id="no-sandbox")
        notebook.cells.insert(0, notice)
    return notebook
