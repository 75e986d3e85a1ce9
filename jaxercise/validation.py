"""``jaxercise validate``: a student's notebook before it is handed in.

It compares the cells with those of the exercise, runs the notebook and then its visible checks.
What runs has the student's rights, as in JupyterLab: this is no grading, nor to be used for it.
"""

import json
import subprocess
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbgrader.utils import compute_checksum

from jaxercise import visible
from jaxercise.visible import Due, NoVisibleChecks

CELL_S = 600  # a cell that takes longer would be stopped by the grader long before
NOTHING: dict = {"rows": [], "text": ""}


@dataclass(frozen=True)
class Validation:
    """What was found in a notebook.

    Attributes:
        exercise: the one whose cells it has.
        due: what that consists of.
        checks: visible checks that were run, each with its ``cell``, ``title`` and ``message``,
            which is empty if it passed.
        text: what they say, for a person.
        missing: cells of the exercise that are not there, in words.
        remarks: what else a student should know.
    """

    exercise: str
    due: Due
    checks: Sequence[Mapping[str, str]]
    text: str
    missing: Sequence[str]
    remarks: Sequence[str]

    @property
    def passed(self) -> int:
        return sum(not check["message"] for check in self.checks)

    @property
    def fine(self) -> bool:
        return self.passed == self.due.visible and not self.missing


def validate(path: Path) -> Validation:
    """Run a notebook where it lies and look at it; the file is left as it is.

    Raises:
        NoVisibleChecks: the lesson's visible checks are not beside it, or it is not of that lesson.
        ValueError: it cannot be read.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nbformat mends what it warns of, such as cells' ids
            notebook = nbformat.read(path, as_version=4)
    except (OSError, ValueError, AttributeError, KeyError) as error:
        raise ValueError(f"{path} cannot be read as a notebook: {error}") from None
    folder = visible.lesson_folder(path.resolve().parent)
    every = visible.exercises(folder)
    name = exercise_of(notebook, every)
    if name is None:
        raise NoVisibleChecks(
            f"{path} holds no cell of an exercise: {', '.join(every)}. Some programs save "
            "notebooks without the labels of cells; copy your answers into a fresh one."
        )
    missing = list(missing_cells(notebook, every[name]))
    remarks = [*changed_cells(notebook), *doubled_cells(notebook)]
    found, stopped = _run(notebook, folder, name)
    remarks += [*stopped, *errors(notebook)]
    return Validation(name, every[name], found["rows"], found["text"], missing, remarks)


def exercise_of(notebook: NotebookNode, every: Mapping[str, Due]) -> str | None:
    """The exercise that most of the notebook's cells belong to, whatever the file's name."""
    here = set(ids(notebook))
    shared = {name: len(here & {*due.answers, *due.graded}) for name, due in every.items()}
    best = max(shared, key=shared.__getitem__)
    return best if shared[best] else None


def ids(notebook: NotebookNode) -> list[str]:
    """Grade ids of all cells that have one."""
    found = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    return [name for name in found if name]


def missing_cells(notebook: NotebookNode, due: Due) -> Iterator[str]:
    """Cells of the exercise that are not there, in words."""
    here = ids(notebook)
    for name in due.answers:
        if name not in here:
            yield f"the answer cell '{name}' is missing; copy it from a fresh notebook"
    for name in due.graded:
        if name not in here:
            yield f"the graded cell '{name}' is missing; copy it from a fresh notebook"


def changed_cells(notebook: NotebookNode) -> Iterator[str]:
    """Locked cells that are no longer as they were handed out."""
    for number, cell in enumerate(notebook.cells, 1):
        meta = cell.metadata.get("nbgrader", {})
        known = meta.get("checksum") if meta.get("locked") else None
        if known and known != compute_checksum(cell):
            yield (
                f"cell {number}, '{meta.get('grade_id')}', was changed; it is graded as it was "
                "handed out"
            )


def doubled_cells(notebook: NotebookNode) -> Iterator[str]:
    for name, count in Counter(ids(notebook)).items():
        if count > 1:
            yield f"the cell '{name}' is there {count} times; the last definition of a name counts"


def errors(notebook: NotebookNode) -> Iterator[str]:
    """Cells besides the graded ones that ended with an error."""
    for number, cell in enumerate(notebook.cells, 1):
        for output in cell.get("outputs", []):
            if output.output_type == "error" and output.ename != "NotYet":
                first = next(iter(output.evalue.splitlines()), "")[:120].rstrip(".")
                yield f"cell {number} ended with {output.ename}: {first}"


def _run(notebook: NotebookNode, folder: Path, exercise: str) -> tuple[dict, list[str]]:
    """Run all cells and then the visible checks: what these found, and what stopped that."""
    client = NotebookClient(
        notebook,
        timeout=CELL_S,
        startup_timeout=CELL_S,
        interrupt_on_timeout=True,
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
    )
    source = f"import visible_checks\nprint(visible_checks.look_at_all({exercise!r}))"
    look = nbformat.v4.new_code_cell(source)
    notebook.cells.append(look)
    environment = {**visible.environment(folder), "NBGRADER_EXECUTION": "validate"}
    try:
        # what a kernel says besides is about itself, such as how it is connected
        with client.setup_kernel(env=environment, stderr=subprocess.DEVNULL):
            for index, cell in enumerate(notebook.cells):
                client.execute_cell(cell, index)
    except (CellTimeoutError, DeadKernelError) as error:
        why = "cannot be stopped" if isinstance(error, CellTimeoutError) else "ends the kernel"
        return NOTHING, [f"cell {index + 1} {why}; what follows was not run, nor were the checks"]
    finally:
        notebook.cells.remove(look)
    printed = [o.text for o in look.outputs if o.output_type == "stream" and o.name == "stdout"]
    try:
        return json.loads(printed[-1].strip().splitlines()[-1]), []
    except (ValueError, IndexError):
        return NOTHING, ["the checks could not be run in this notebook"]


def as_text(path: Path, found: Validation) -> str:
    """What to tell the student."""
    due = found.due
    lines = [
        f"{path}: ran {len(found.checks)} of {due.visible + due.hidden} checks, "
        f"{found.passed} pass. {due.hidden} are hidden and follow when you have handed in."
    ]
    lines += [found.text] if found.text else []
    lines += [f"! {text[0].upper()}{text[1:]}." for text in (*found.missing, *found.remarks)]
    if found.fine:
        lines.append("All that can be seen here is right.")
    return "\n".join(lines)


def as_json(path: Path, found: Validation) -> str:
    """The same as one line of JSON."""
    fields = {"file": str(path), "exercise": found.exercise, "fine": found.fine}
    lists = {"missing": found.missing, "remarks": found.remarks, "visible": found.checks}
    return json.dumps(
        {**fields, **lists, "visible_due": found.due.visible, "hidden_not_run": found.due.hidden},
        ensure_ascii=False,
    )
