"""How much a notebook has in common with each exercise of a lesson.

It must not know about files that students submit, or how anything is graded.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from nbformat import NotebookNode

from jaxercise import matching
from jaxercise.course import Lesson, read_notebook
from jaxercise.matching import Cell

Trait = tuple[str, str]  # what it is ("id", "label", "text" or "name"), and the text itself


def likeness_to(lesson: Lesson) -> Callable[[NotebookNode | None], dict[str, int]]:
    """A function that counts, for each exercise, the cells that a notebook has in common with it.

    Cells are recognised by their id, grade id, released source or what they define. Only what no
    other exercise of the lesson has is counted: every notebook has a cell "imports".
    """
    marks = {
        exercise.name: _marks(exercise.notebook, exercise.notebook.stat().st_mtime_ns)
        for exercise in lesson.exercises
    }
    owners = Counter(trait for mark in marks.values() for trait in mark)
    names = {text for kind, text in owners if kind == "name"}

    def liken(notebook: NotebookNode | None) -> dict[str, int]:
        cells = matching.plain_cells(notebook)
        traits = {t for cell in cells for t in _traits(cell, names) if owners[t] == 1}
        return {name: len({mark[t] for t in traits if t in mark}) for name, mark in marks.items()}

    return liken


@lru_cache(maxsize=256)
def _marks(notebook: Path, changed_ns: int) -> dict[Trait, int]:
    """Where each trait of an instructor's notebook stands; read again once the file changed."""
    marks: dict[Trait, int] = {}
    for slot in matching.slots(read_notebook(notebook)):
        traits = [("id", slot.id), ("label", slot.label)]
        traits += [("text", text) for text in slot.texts]
        traits += [("name", name) for name in slot.names]
        marks |= {trait: slot.index for trait in traits if trait[1]}
    return marks


def _traits(cell: Cell, names: set[str]) -> Iterator[Trait]:
    yield from (("id", cell.id), ("label", cell.label), ("text", matching.text_key(cell.source)))
    if cell.kind == "code":
        yield from (("name", name) for name in matching.defined_among(names, [cell]))
