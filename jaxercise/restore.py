"""Rebuilds a submission on the instructor's notebook, so that only the answers are the student's.

Nothing in the student's metadata is trusted. It must not run anything or know about checks.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

import nbformat
from nbformat import NotebookNode

from jaxercise import matching
from jaxercise.course import is_free_text, nbgrader_metadata
from jaxercise.definitions import parses
from jaxercise.matching import Cell, Match, Slot, without_hidden

OWN_CELLS = 500  # a student's own cells; a hundred is already a great many
JOINED_CHARACTERS = 200_000  # the most text that is tried as one answer in several cells


@dataclass(frozen=True)
class Restored:
    """A notebook that is ready to run, and what was mended on the way, for the instructor."""

    notebook: NotebookNode
    repairs: tuple[str, ...]


@dataclass(frozen=True)
class _Answer:
    """What comes of all cells that hold one answer.

    Attributes:
        source: what the answer cell is to hold.
        before: own cells that go right before it.
        after: own cells that go right after it.
        repairs: what was mended.
    """

    source: str = ""
    before: tuple[Cell, ...] = ()
    after: tuple[Cell, ...] = ()
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Arranged:
    """A student's cells by the instructor's cell that they belong to.

    Attributes:
        parts: by cell id, everything that holds an answer, with the own cells in between.
        own: by the id of the instructor's cell that followed them, None at the end, own cells.
        seen: by cell id, the cells recognised as this one, answers or not.
        foreign: grade ids of cells that belong to no cell of this notebook.
    """

    parts: dict[str, list[tuple[Cell, Match | None]]] = field(default_factory=dict)
    own: dict[str | None, list[Cell]] = field(default_factory=dict)
    seen: dict[str, list[tuple[Cell, Match]]] = field(default_factory=dict)
    foreign: list[str] = field(default_factory=list)


def restore(submitted: NotebookNode | None, instructor: NotebookNode) -> Restored:
    """Put a student's answers and own cells into the instructor's notebook.

    Graded, locked and prose cells are the instructor's, in the instructor's order. An answer is
    the student's cell of the same grade id, else of the same cell id, else one that defines what
    the answer has to define. Of several such cells all run, in their order, so that the last
    definition of a name counts, as in Jupyter. Other code cells and cells for free text are the
    student's, found by cell id, for imports are often added there. Cells that the student added
    keep their place before the instructor's cell that followed them.

    Args:
        submitted: the student's notebook, of whatever shape, or None where there is none to read.
        instructor: the notebook from ``source/``, with solutions and hidden tests.

    Returns:
        A valid notebook with the instructor's metadata and without outputs. Restoring it again
        changes nothing.
    """
    slots = matching.slots(instructor)
    cells = matching.plain_cells(submitted)
    arranged = _arrange(cells, matching.recognise(cells, slots))
    answers = {s.id: _answer(s, slots, arranged) for s in slots if s.role == "answer"}
    restored = deepcopy(instructor)
    rebuilt: list[NotebookNode | Cell] = []
    for slot, cell in zip(slots, restored.cells):
        rebuilt += arranged.own.get(slot.id, [])
        answer = answers.get(slot.id, _Answer())
        if slot.role == "answer":
            cell.source = answer.source
        elif is_free_text(cell) or (cell.cell_type == "code" and not nbgrader_metadata(cell)):
            theirs = [c for c, match in arranged.seen.get(slot.id, []) if match.by == "id"]
            cell.source = theirs[0].source if theirs else cell.source
        else:
            cell.source = without_hidden(cell.source)
        rebuilt += [*answer.before, cell, *answer.after]
    rebuilt += arranged.own.get(None, [])
    restored.cells, dropped = _as_notebook_cells(rebuilt)
    if submitted is None:
        return Restored(restored, ())
    repairs = list(_answer_repairs(slots, answers, arranged))
    repairs += _test_repairs(slots, arranged)
    if arranged.foreign:
        repairs.append(
            f"cells with labels of another notebook were ignored: {_some(arranged.foreign)}"
        )
    if dropped:
        repairs.append(f"the notebook has too many cells; {dropped} added cells were dropped")
    return Restored(restored, tuple(repairs))


def _arrange(cells: Sequence[Cell], matches: Sequence[Match | None]) -> _Arranged:
    arranged = _Arranged()
    waiting: list[Cell] = []
    last: str | None = None  # the instructor's cell that was met last
    for cell, match in zip(cells, matches):
        if match is None:
            if cell.label:
                arranged.foreign.append(cell.label)
            elif cell.source.strip():
                waiting.append(cell)
            continue
        slot = match.slot
        arranged.seen.setdefault(slot.id, []).append((cell, match))
        if last == slot.id and slot.id in arranged.parts:
            arranged.parts[slot.id] += [(own, None) for own in waiting]
        else:
            arranged.own.setdefault(slot.id, []).extend(waiting)
        if match.answers:
            arranged.parts.setdefault(slot.id, []).append((cell, match))
        waiting, last = [], slot.id
    arranged.own[None] = waiting
    return arranged


def _answer(slot: Slot, slots: Sequence[Slot], arranged: _Arranged) -> _Answer:
    """Make one answer cell, and own cells around it, of all cells that hold this answer."""
    parts = arranged.parts.get(slot.id, [])
    if not parts:
        stubs = [c for c, match in arranged.seen.get(slot.id, []) if match.by == "text"]
        if not stubs or _is_elsewhere(slot, arranged):
            return _Answer()
        why = f"the answer cell '{slot.label}' had lost its label and is as it was released"
        return _Answer(stubs[0].source, repairs=(why,))
    repairs = []
    if any(match and match.by == "names" for _, match in parts):
        repairs.append(
            f"the answer cell '{slot.label}' had lost its label and was recognised by what it "
            "defines"
        )
    holders = [i for i, (_, match) in enumerate(parts) if match]
    counted = _counted([parts[i][0] for i in holders], slots)
    kept = [i for i, counts in zip(holders, counted) if counts]
    sources = [parts[i][0].source for i in kept]
    if len(holders) > 1:
        repairs.append(_copies_repair(slot, len(holders), len(kept)))
    own = [(i, cell) for i, (cell, match) in enumerate(parts) if match is None]
    joined = "\n".join(sources)
    if (
        slot.kind == "code"
        and len(kept) > 1
        and len(joined) <= JOINED_CHARACTERS
        and not all(map(parses, sources))
        and parses(joined)
    ):
        repairs.append(f"the answer cell '{slot.label}' had been split and was put together again")
        sources = [joined]
    else:
        own += [(i, Cell(slot.kind, parts[i][0].source)) for i in kept[:-1]]
    before = tuple(cell for i, cell in sorted(own, key=lambda item: item[0]) if i < kept[-1])
    after = tuple(cell for i, cell in own if i > kept[-1])
    return _Answer(sources[-1], before, after, tuple(repairs))


def _counted(copies: Sequence[Cell], slots: Sequence[Slot]) -> list[bool]:
    """Which of an answer's copies count: of equal ones the last, and stubs only if all are."""
    released = {text for slot in slots for text in slot.texts} | {""}
    keys = [matching.text_key(cell.source) for cell in copies]
    if all(key in released for key in keys):
        return [False] * (len(keys) - 1) + [True]
    later: set[str] = set(released)
    counted = []
    for key in reversed(keys):
        counted.append(key not in later)
        later.add(key)
    return counted[::-1]


def _copies_repair(slot: Slot, copies: int, kept: int) -> str:
    rule = "one of them counts" if kept == 1 else "they run in their order"
    return f"the answer cell '{slot.label}' is there {_times(copies)}; {rule}"


def _times(copies: int) -> str:
    return "twice" if copies == 2 else f"{copies} times"


def _is_elsewhere(slot: Slot, arranged: _Arranged) -> bool:
    """Whether other cells of the student define all that this answer has to define."""
    kept = [cell for cells in arranged.own.values() for cell in cells]
    kept += [cell for parts in arranged.parts.values() for cell, _ in parts]
    seen = [both for pairs in arranged.seen.values() for both in pairs]
    kept += [c for c, match in seen if match.by == "id" and match.slot.role == "other"]
    code = (cell for cell in kept if cell.kind == "code")
    return bool(slot.names) and matching.defined_among(slot.names, code) == slot.names


def _answer_repairs(
    slots: Sequence[Slot], answers: dict[str, _Answer], arranged: _Arranged
) -> Iterator[str]:
    lost = []
    for slot in slots:
        if slot.role != "answer":
            continue
        yield from answers[slot.id].repairs
        seen = arranged.seen.get(slot.id, [])
        if any(match.answers or match.by == "text" for _, match in seen):
            continue
        if seen:
            lost.append(f"the answer cell '{slot.label}' is no code cell and holds no code")
        elif not _is_elsewhere(slot, arranged):
            lost.append(f"the answer cell '{slot.label}' is missing")
    if len(lost) == len(answers) > 1:
        lost = ["no answer cell could be recognised in this notebook"]
    yield from lost


def _test_repairs(slots: Sequence[Slot], arranged: _Arranged) -> list[str]:
    tests = [slot for slot in slots if slot.role == "test"]
    repairs, gone = [], 0
    for slot in tests:
        seen = arranged.seen.get(slot.id, [])
        labelled = [cell for cell, match in seen if match.by != "text"]
        name = f"the test cell '{slot.label}'"
        if not seen:
            repairs.append(f"{name} had been deleted and was put back")
            gone += 1
        elif len(labelled) > 1:
            repairs.append(f"{name} is there {_times(len(labelled))}; the instructor's counts")
        elif any(
            cell.kind != slot.kind or matching.text_key(cell.source) not in slot.texts
            for cell in labelled
        ):
            repairs.append(f"{name} had been changed; the instructor's counts")
    if gone == len(tests) > 1:
        return ["all test cells had been deleted and were put back"]
    return repairs


def _as_notebook_cells(rebuilt: Sequence[NotebookNode | Cell]) -> tuple[list[NotebookNode], int]:
    """Give own cells an id, and everything no outputs; too many own cells are counted, not kept."""
    used = {cell.id for cell in rebuilt if isinstance(cell, NotebookNode)}
    cells, number, own = [], 0, 0
    for cell in rebuilt:
        if isinstance(cell, Cell):
            own += 1
            if own > OWN_CELLS:
                continue
            number += 1
            while f"student-{number}" in used:
                number += 1
            plain = {"cell_type": cell.kind, "source": cell.source, "metadata": {}}
            cell = nbformat.from_dict(plain | {"id": f"student-{number}"})
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        cells.append(cell)
    return cells, max(0, own - OWN_CELLS)


def _some(labels: Sequence[str]) -> str:
    """A student's labels, few and short enough for a message."""
    names = [f"'{' '.join(label.split())[:40]}'" for label in dict.fromkeys(labels)]
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
