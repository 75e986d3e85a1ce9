"""Submissions as they really arrive: one student for each kind of trouble, and the honest ones.

Every function gets the released notebooks, answered rightly, and makes of them what its student
hands in. What must come of it stands beside it: points, words to the student, notes to the
instructor.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from tiny import CELLS, LOSS, SCALE

from jaxercise.course import nbgrader_metadata

Notebooks = dict[str, NotebookNode]


@dataclass(frozen=True)
class Kind:
    """A student whose submission has something the matter.

    Attributes:
        student: the name, which says what is the matter.
        write: makes the submission in a folder.
        points: by graded cell, where not all points are earned.
        says: words in the messages of failed checks.
        notes: words in the notes to the instructor.
        shows: words in the returned notebooks.
    """

    student: str
    write: Callable[[Notebooks, Path], None]
    points: Mapping[str, float]
    says: tuple[str, ...]
    notes: tuple[str, ...]
    shows: tuple[str, ...]

    @property
    def marks(self) -> dict[str, float]:
        """Points by graded cell."""
        return CELLS | dict(self.points)


KINDS: dict[str, Kind] = {}


def files(
    student: str,
    points: Mapping[str, float] | None = None,
    says: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    shows: tuple[str, ...] = (),
) -> Callable:
    """Add a kind whose function writes what is submitted itself."""

    def add(write: Callable[[Notebooks, Path], None]) -> Callable:
        assert student not in KINDS
        KINDS[student] = Kind(student, write, points or {}, says, notes, shows)
        return write

    return add


def cells(student: str, points: Mapping[str, float] | None = None, **expected: tuple) -> Callable:
    """Add a kind whose function changes the notebooks only."""

    def add(change: Callable[[Notebooks], None]) -> Callable:
        def write(given: Notebooks, folder: Path) -> None:
            change(given)
            hand_in(given, folder)

        files(student, points, **expected)(write)
        return change

    return add


NOTHING = {"scale-double": 0, "scale-noise": 0, "scale-total": 0}  # the whole first exercise


def hand_in(given: Notebooks, folder: Path) -> None:
    """Write the notebooks as Jupyter would, and do not mind what they are."""
    for name, notebook in given.items():
        (folder / f"{name}.ipynb").write_text(as_text(notebook))


def as_text(notebook: NotebookNode) -> str:
    return nbformat.writes(notebook) + "\n"


def at(notebook: NotebookNode, cell_id: str) -> int:
    return [cell.id for cell in notebook.cells].index(cell_id)


def cell(notebook: NotebookNode, cell_id: str) -> NotebookNode:
    return notebook.cells[at(notebook, cell_id)]


def answer(notebook: NotebookNode, cell_id: str, source: str) -> None:
    cell(notebook, cell_id).source = source


def label(of: NotebookNode) -> dict:
    return nbgrader_metadata(of)


def copy_of(notebook: NotebookNode, cell_id: str, source: str) -> NotebookNode:
    """A copy of a cell, metadata and all, as the notebook's menu makes it."""
    copied = deepcopy(cell(notebook, cell_id))
    copied.id, copied.source = f"{cell_id}-copy", source
    return copied


def insert(notebook: NotebookNode, before: str, *sources: str) -> None:
    """Add own code cells before the cell of that id."""
    place = at(notebook, before)
    notebook.cells[place:place] = [new_code_cell(source) for source in sources]


# The honest ones, under names that some program or other trips over.

RIGHT, HALF, WRONG = "Doe, Jr", "=1+1", 'O\'Neil "Nan"'
UNTOUCHED, UNUSUAL = "李 Zoë.ipynb", "a.b [2]* {x}"

UNUSUAL_DOUBLE = """\
import functools
import operator

twice = functools.partial(operator.mul, 2)


@jax.jit
def double(x):
    return jax.vmap(twice)(x)"""
UNUSUAL_NOISE = """\
noise = lambda key, x: jax.tree.map(lambda leaf: leaf + jax.random.normal(key, leaf.shape), x)"""


def honest(released: Notebooks, solved: Notebooks) -> dict[str, tuple[Notebooks, dict]]:
    """Notebooks and points of five students whose submissions are as they should be."""
    half, wrong, unusual = (deepcopy(solved) for _ in range(3))
    answer(half[SCALE], "noise-answer", "def noise(key, x):\n    return x + 1")
    answer(half[SCALE], "total-answer", "total = double(numbers()).mean()")
    answer(
        half[LOSS], "loss-answer", "def loss(w, x, y):\n    return jnp.mean((x @ w - y) ** 2) + 1"
    )
    answer(wrong[SCALE], "double-answer", "def double(x):\n    return str(x)")
    answer(wrong[SCALE], "noise-answer", "def noise(key, x):\n    return x.undefined")
    answer(wrong[SCALE], "total-answer", "total = numbers()")
    answer(wrong[LOSS], "loss-answer", "def loss(w, x, y)\n    return 0")
    answer(unusual[SCALE], "double-answer", UNUSUAL_DOUBLE)
    answer(unusual[SCALE], "noise-answer", UNUSUAL_NOISE)
    answer(unusual[SCALE], "total-answer", "total = 0\nfor n in numbers().tolist(): total += 2 * n")
    answer(
        unusual[LOSS],
        "loss-answer",
        "def loss(w, x, y):\n    return jnp.var(e := x @ w - y) + e.mean() ** 2",
    )
    nothing = dict.fromkeys(CELLS, 0)
    return {
        RIGHT: (solved, CELLS),
        HALF: (half, CELLS | {"scale-noise": 0, "scale-total": 0, "loss-values": 2}),
        WRONG: (wrong, nothing),
        UNTOUCHED: (released, nothing),
        UNUSUAL: (unusual, CELLS),
    }
