"""Rebuilds a submission on the instructor's notebook, so that only the answers are the student's.

Nothing in the student's metadata is trusted. It must not run anything or know about checks.
"""

import re
from copy import deepcopy
from dataclasses import dataclass

import nbformat
from nbformat import NotebookNode

from jaxercise.course import is_answer, is_free_text, nbgrader_metadata

HIDDEN = re.compile(
    r"^[ \t]*### BEGIN HIDDEN TESTS[ \t]*\n.*?^[ \t]*### END HIDDEN TESTS[ \t]*\n?",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Restored:
    """A notebook that is ready to run, and what was mended on the way, for the instructor."""

    notebook: NotebookNode
    repairs: tuple[str, ...]


def restore(submitted: NotebookNode | None, instructor: NotebookNode) -> Restored:
    """Put a student's answers and own cells into the instructor's notebook.

    Graded, locked and prose cells are the instructor's. An answer is the student's cell of the
    same grade id; of several, the last, as the last definition of a name counts in Jupyter. Other
    code cells and cells for free text are the student's, found by cell id, for imports are often
    added there. Cells that the student added keep their place before the instructor's cell that
    followed them.

    Args:
        submitted: the student's notebook, or None where there is none to read.
        instructor: the notebook from ``source/``, with solutions and hidden tests.
    """
    cells = list(submitted.cells) if submitted is not None else []
    known = {cell.id: cell for cell in instructor.cells}
    answers, own, repairs = _sort_cells(cells, instructor)
    restored = deepcopy(instructor)
    rebuilt: list[NotebookNode] = []
    for cell in restored.cells:
        grade_id = nbgrader_metadata(cell).get("grade_id")
        rebuilt += own.get(cell.id, [])
        if is_answer(cell):
            if grade_id in answers:
                cell.source = answers[grade_id].source
            else:
                cell.source = ""
                if submitted is not None:
                    repairs.append(f"the answer cell '{grade_id}' is missing")
        elif is_free_text(cell) or (cell.cell_type == "code" and not nbgrader_metadata(cell)):
            theirs = next((c for c in cells if c.get("id") == cell.id), None)
            if theirs is not None and theirs.cell_type == cell.cell_type:
                cell.source = theirs.source
        else:
            cell.source = without_hidden(cell.source)
        rebuilt.append(cell)
    rebuilt += own.get(None, [])
    used = set(known)
    for cell in rebuilt:
        if cell.id not in known or known[cell.id].cell_type != cell.cell_type:
            cell.id = _fresh_id(used)
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    restored.cells = rebuilt
    return Restored(restored, tuple(repairs))


def _sort_cells(
    cells: list[NotebookNode], instructor: NotebookNode
) -> tuple[dict[str, NotebookNode], dict[str | None, list[NotebookNode]], list[str]]:
    """Split a student's cells into answers by grade id and own cells by the id that follows."""
    known = {cell.id: cell for cell in instructor.cells}
    by_grade_id = {nbgrader_metadata(c).get("grade_id"): c for c in instructor.cells} | {None: None}
    given = {cell.source for cell in instructor.cells}
    answers: dict[str, NotebookNode] = {}
    own: dict[str | None, list[NotebookNode]] = {}
    waiting: list[NotebookNode] = []
    repairs = []
    for cell in cells:
        grade_id = nbgrader_metadata(cell).get("grade_id")
        match = by_grade_id.get(grade_id) or known.get(cell.get("id", ""))
        if match is None:
            if cell.source.strip() and cell.source not in given:
                plain = deepcopy(cell)
                plain.metadata = nbformat.from_dict({})
                waiting.append(plain)
            continue
        if is_answer(match):
            answer_id = nbgrader_metadata(match)["grade_id"]
            if answer_id in answers:
                repairs.append(f"the answer cell '{answer_id}' is there twice; the last one counts")
            answers[answer_id] = cell
        own.setdefault(match.id, []).extend(waiting)
        waiting = []
    own[None] = waiting
    return answers, own, repairs


def _fresh_id(used: set[str]) -> str:
    number = 1
    while f"student-{number}" in used:
        number += 1
    used.add(f"student-{number}")
    return f"student-{number}"


def without_hidden(source: str) -> str:
    """A cell's source as students see it: without its hidden region."""
    return HIDDEN.sub("", source).rstrip("\n")
