"""Reads what grading a class left behind: verdicts, notebooks and logs that are kept, and marks.

It must not grade anything, and it must not know what is made of what it finds.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from jaxercise import classroom, gradebook, kept, matching, settings, submissions, verdict
from jaxercise.classroom import CRASHED
from jaxercise.course import Course, Lesson, is_answer, read_notebook
from jaxercise.restore import restore
from jaxercise.submissions import NOT_SUBMITTED
from jaxercise.verdict import Verdict

SECONDS = re.compile(r"points in (\d+(?:\.\d+)?) s$")  # how the first line of a log ends
CELL_STOPPED = re.compile(r"This cell took longer than \d+ s and was stopped\.")
HANGS = "hangs-or-ends-the-process"
NOT_IN_THE_NOTEBOOK = "no-sandbox"  # the cell that grading puts on top, by its id


@dataclass(frozen=True)
class Entry:
    """A student's work on one exercise, as it was graded.

    Attributes:
        verdict: what the checks said; None if it was not graded.
        mark: what counts, with marks given by hand and late penalties; None if not recorded.
        state: "answered", "untouched" (the stubs as they were released), "missing" (nothing was
            handed in), "broken" (it could not be read or graded) or "ungraded".
        mended: what was mended before it was run.
        stopped: what hung, crashed or was refused.
        seconds: how long grading took, if that is known.
        answers: by grade id, the code of the answer cells that the student wrote in.
        changed: what is in ``submitted/`` now is not what was graded.
    """

    student: str
    exercise: str
    verdict: Verdict | None = None
    mark: float | None = None
    state: str = "ungraded"
    mended: tuple[str, ...] = ()
    stopped: tuple[str, ...] = ()
    seconds: float | None = None
    answers: Mapping[str, str] = field(default_factory=dict)
    changed: bool = False


@dataclass(frozen=True)
class _Kept:
    """What the grader kept of one submission; ``there`` says whether there was a notebook."""

    verdict: Verdict
    repairs: tuple[str, ...]
    cells: list[dict[str, Any]]
    trouble: tuple[str, ...]
    there: bool


def is_graded(course: Course, lesson: Lesson) -> bool:
    return any((course.root / ".jaxercise" / "verdicts").glob(f"*/{lesson.name}/*.json"))


def gather(course: Course, lesson: Lesson) -> list[Entry]:
    """An entry for every exercise of every student who handed something in or has a mark."""
    marks = _marks(course, lesson)
    there = (course.root / "submitted").is_dir()
    due = classroom.due_submissions(course, lesson) if there else []
    folders = {submission.student: submission.folder for submission in due}
    instructors = {e.name: read_notebook(e.notebook) for e in lesson.exercises}
    released = {name: stubs(instructor) for name, instructor in instructors.items()}
    entries = []
    for student in sorted({*marks, *folders}):
        now = _now(lesson, folders.get(student), instructors)
        for exercise in lesson.exercises:
            place = kept.Place(course.root, lesson.name, student, exercise.name)
            entries.append(
                _entry(
                    place,
                    marks.get(student, {}).get(exercise.name),
                    released[exercise.name],
                    now,
                )
            )
    return entries


def stubs(instructor: NotebookNode) -> dict[str, frozenset[str]]:
    """By grade id, what an answer's code cell looks like before anybody writes in it."""
    return {
        slot.label: slot.texts
        for slot in matching.slots(instructor)
        if slot.role == "answer" and slot.kind == "code"
    }


def _marks(course: Course, lesson: Lesson) -> dict[str, dict[str, float]]:
    file = settings.gradebook_file(course.root)
    if file is not None and not file.is_file():
        return {}  # nbgrader would make an empty one
    return gradebook.scores(course, lesson)


def _now(
    lesson: Lesson, folder: Path | None, instructors: Mapping[str, NotebookNode]
) -> dict[str, list[tuple[str, str]] | None]:
    """By exercise, the cells that would be graded now, or None if there are none to read; nothing
    of a student whose folder is gone."""
    if folder is None:
        return {}
    found = submissions.find(lesson, folder)
    return {
        name: None
        if found[name].notebook is None
        else _sources(restore(found[name].notebook, instructor).notebook.cells)
        for name, instructor in instructors.items()
    }


def _sources(cells: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return [(cell["cell_type"], cell["source"]) for cell in cells]


def _entry(
    place: kept.Place,
    mark: float | None,
    stubs: Mapping[str, frozenset[str]],
    now: Mapping[str, list[tuple[str, str]] | None],
) -> Entry:
    found = _read(place)
    if found is None:
        return Entry(place.student, place.exercise, mark=mark)
    graded = _sources(found.cells) if found.there else None
    answers = dict(_answers(found.cells, stubs)) if found.there else {}
    if not found.there:
        state = "missing" if NOT_SUBMITTED in found.trouble else "broken"
    elif CRASHED in found.repairs:
        state = "broken"
    else:  # an answer may also stand in cells of the student's own
        state = "answered" if answers or found.verdict.score else "untouched"
    stopped = [why for why in (*found.repairs, *_stopped(found)) if why != NOT_SUBMITTED]
    return Entry(
        place.student,
        place.exercise,
        found.verdict,
        mark,
        state,
        tuple(why for why in found.trouble if why not in (*stopped, NOT_SUBMITTED)),
        tuple(dict.fromkeys(stopped)),
        _seconds(place.log) if state != "missing" else None,
        answers,
        now.get(place.exercise, graded) != graded,
    )


def _read(place: kept.Place) -> _Kept | None:
    """What is kept, or None if nothing is, or if it was damaged."""
    try:
        stored = json.loads(place.verdict.read_text())
        notebook = json.loads(place.notebook.read_text())
        cells = [_plain(c) for c in notebook["cells"] if c.get("id") != NOT_IN_THE_NOTEBOOK]
        ours = notebook["metadata"]["jaxercise"]
        return _Kept(
            verdict.from_json(stored["verdict"]),
            tuple(stored["repairs"]),
            cells,
            tuple(ours["trouble"]),
            bool(ours["there"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _plain(cell: dict[str, Any]) -> dict[str, Any]:
    """A cell with its source as one text; in files it is a list of lines."""
    return cell | {"source": "".join(cell["source"])}


def _answers(
    cells: Sequence[dict[str, Any]], stubs: Mapping[str, frozenset[str]]
) -> Iterator[tuple[str, str]]:
    for cell in map(NotebookNode, cells):
        label = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if not is_answer(cell) or label not in stubs:
            continue
        text = matching.text_key(cell.source)
        if text.strip() and text not in stubs[label]:
            yield label, cell.source


def _stopped(found: _Kept) -> Iterator[str]:
    for number, cell in enumerate(found.cells, 1):
        for output in cell.get("outputs", []):
            if CELL_STOPPED.fullmatch(str(output.get("evalue", ""))):
                yield output["evalue"].replace("This cell", f"cell {number}").rstrip(".")
    yield from (check.message for check in found.verdict.checks if check.mistake == HANGS)


def _seconds(log: Path) -> float | None:
    try:
        first = log.read_text().partition("\n")[0]
    except (OSError, ValueError):
        return None
    found = SECONDS.search(first)
    return float(found[1]) if found else None
