"""Recognises a student's cells: which of the instructor's cells each of them is.

Source is read as text and never run. It must not know where cells go or how they are graded.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from nbformat import NotebookNode

from jaxercise.course import is_answer, nbgrader_metadata
from jaxercise.definitions import defined_names, parses

HIDDEN = re.compile(
    r"^[ \t]*### BEGIN HIDDEN TESTS[ \t]*\n.*?^[ \t]*### END HIDDEN TESTS[ \t]*\n?",
    re.DOTALL | re.MULTILINE,
)
SOLUTION = re.compile(
    r"^([ \t]*)### BEGIN SOLUTION[ \t]*\n.*?^[ \t]*### END SOLUTION[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
STUB = "raise NotImplementedError"  # how a released answer ends; what follows it may change
TEXT_STUB = "*Your thoughts here.*"  # c.ClearSolutions.text_stub
STUB_LINE = re.compile(rf"^([ \t]*){STUB}\b.*$", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """A student's cell made safe: text and nothing else, and no part of it is trusted.

    Attributes:
        kind: "code", "markdown" or "raw".
        label: its grade id, or "".
    """

    kind: str
    source: str
    id: str = ""
    label: str = ""


@dataclass(frozen=True)
class Slot:
    """A cell of the instructor's notebook, and what a student's cell is recognised by.

    Attributes:
        label: its grade id, or "".
        role: "answer", "test" (graded, and not the student's to write) or "other".
        names: what an answer has to define.
        texts: the source as released, and as it stands in ``source/`` unless that is a solution,
            each as ``text_key`` gives it.
    """

    index: int
    id: str
    label: str
    kind: str
    role: Literal["answer", "test", "other"]
    names: frozenset[str]
    texts: frozenset[str]


@dataclass(frozen=True)
class Match:
    """What a student's cell is, and what it was recognised by; "misfit" is not usable as such."""

    slot: Slot
    by: Literal["label", "id", "text", "names", "misfit"]

    @property
    def answers(self) -> bool:
        """Whether this is a student's answer, rather than a stub without a label."""
        return self.slot.role == "answer" and self.by in ("label", "id", "names")


def plain_cells(notebook: Any) -> list[Cell]:
    """The cells of a notebook of whatever shape, as far as they are cells at all."""
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    cells = cells if isinstance(cells, list | tuple) else []
    return [_plain(cell) for cell in cells if isinstance(cell, dict)]


def _plain(cell: dict[str, Any]) -> Cell:
    kind, source, cell_id = cell.get("cell_type"), cell.get("source"), cell.get("id")
    if isinstance(source, list | tuple):
        source = "".join(line for line in source if isinstance(line, str))
    metadata = cell.get("metadata")
    ours = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    label = ours.get("grade_id") if isinstance(ours, dict) else None
    return Cell(
        kind if kind in ("code", "markdown") else "raw",
        writable(source) if isinstance(source, str) else "",
        writable(cell_id) if isinstance(cell_id, str) else "",
        writable(label) if isinstance(label, str) else "",
    )


def writable(text: str) -> str:
    """The text without halves of characters, which cannot be written as UTF-8."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def slots(instructor: NotebookNode) -> list[Slot]:
    """What to look for in a student's notebook."""
    return [_slot(index, cell) for index, cell in enumerate(instructor.cells)]


def _slot(index: int, cell: NotebookNode) -> Slot:
    meta = nbgrader_metadata(cell)
    stub, names = stub_of(cell), frozenset[str]()
    if is_answer(cell) and cell.cell_type == "code":
        # A solution also defines helpers of its own; a name that students must use is in the stub.
        defined = defined_names(cell.source)
        names = frozenset(defined & set(re.findall(r"\w+", stub))) or defined
    return Slot(
        index,
        cell.id,
        meta.get("grade_id", ""),
        cell.cell_type,
        "answer" if is_answer(cell) else "test" if meta.get("grade") else "other",
        names,
        frozenset(map(text_key, (stub,) if is_answer(cell) else (stub, cell.source))),
    )


def stub_of(cell: NotebookNode) -> str:
    """An instructor's cell as students get it, up to what the stub's error says."""
    if not is_answer(cell):
        return without_hidden(cell.source)
    stub = STUB if cell.cell_type == "code" else TEXT_STUB
    cut, regions = SOLUTION.subn(lambda match: match[1] + stub, cell.source)
    return cut if regions else stub


def without_hidden(source: str) -> str:
    """A cell's source as students see it: without its hidden region."""
    return HIDDEN.sub("", source).rstrip("\n")


def text_key(source: str) -> str:
    """What two sources have in common that differ in trailing whitespace or the stub's words."""
    lines = [line.rstrip() for line in source.splitlines()]
    return STUB_LINE.sub(rf"\1{STUB}", "\n".join(lines).strip("\n"))


def recognise(cells: Sequence[Cell], slots: Sequence[Slot]) -> list[Match | None]:
    """Say of each cell which of the instructor's cells it is, or None.

    A known label decides; then the cell's id; then its text, if it is as released. An answer that
    was not found so is looked for by the names that it has to define.
    """
    by_label = {slot.label: slot for slot in slots if slot.label}
    by_id = {slot.id: slot for slot in slots}
    by_text: dict[tuple[str, str], list[Slot]] = {}
    for slot in slots:
        for text in slot.texts:
            by_text.setdefault((slot.kind, text), []).append(slot)
    matches: list[Match | None] = []
    edited: set[str] = set()
    for cell in cells:
        found: Match | None = None
        labelled, named = by_label.get(cell.label), by_id.get(cell.id)
        if labelled is not None:
            found = Match(labelled, "label" if fits(cell, labelled) else "misfit")
        elif named is not None and named.role != "other":
            found = Match(named, "id" if fits(cell, named) else "misfit")
        elif named is not None and named.kind == cell.kind and named.id not in edited:
            edited.add(named.id)
            found = Match(named, "id")
        elif same := by_text.get((cell.kind, text_key(cell.source))):
            found = Match(same.pop(0) if len(same) > 1 else same[0], "text")
        matches.append(found)
    for index, slot in _by_names(cells, slots, matches):
        matches[index] = Match(slot, "names")
    return matches


def fits(cell: Cell, slot: Slot) -> bool:
    """Whether a cell can be this answer: code, or what reads as code in a cell of another type."""
    if slot.role != "answer" or slot.kind != "code" or cell.kind == "code":
        return True
    if not slot.names:
        return parses(cell.source)
    return parses(cell.source) and bool(slot.names & defined_names(cell.source))


def _by_names(
    cells: Sequence[Cell], slots: Sequence[Slot], matches: Sequence[Match | None]
) -> Iterator[tuple[int, Slot]]:
    """Unrecognised code cells that define what an answer nobody claims has to define.

    Of several answers in one cell, it goes to one that has no other cell, and of those to the
    first whose place is not before where the cell stands: it may use what is given above it.
    """
    claimed = {match.slot.id for match in matches if match and match.answers}
    open_slots = [slot for slot in slots if slot.names and slot.id not in claimed]
    wanted = {name for slot in open_slots for name in slot.names}
    found = {
        i: defined_among(wanted, [cell])
        for i, (cell, match) in enumerate(zip(cells, matches))
        if match is None and cell.kind == "code"
    }
    found = {i: names for i, names in found.items() if names}
    holders: dict[str, set[int]] = {}
    for slot in open_slots:
        most = max((len(names & slot.names) for names in found.values()), default=0)
        if most:
            holders[slot.id] = {i for i, names in found.items() if len(names & slot.names) == most}
    past = -1
    for i, match in enumerate(matches):
        past = max(past, match.slot.index) if match else past
        if i not in found:
            continue
        some = [slot for slot in open_slots if found[i] & slot.names]
        best = [slot for slot in some if i in holders[slot.id]] or some
        best = [slot for slot in best if holders[slot.id] == {i}] or best
        yield i, next((slot for slot in best if slot.index > past), best[-1])


def defined_among(wanted: Iterable[str], cells: Iterable[Cell]) -> set[str]:
    """Those of the wanted names that code cells define; only cells that mention one are parsed."""
    wanted, found = set(wanted), set[str]()
    for cell in cells:
        if any(name in cell.source for name in wanted - found):
            found |= defined_names(cell.source) & wanted
    return found
