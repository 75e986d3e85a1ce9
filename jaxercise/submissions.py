"""Finds a student's notebooks in what was submitted, in whatever state it is.

What cannot be had becomes a reason in words. It must not run anything or know about grading.
"""

import os
import re
import stat
import unicodedata
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nbformat import NotebookNode
from nbgrader.utils import parse_utc

from jaxercise.course import Lesson
from jaxercise.likeness import likeness_to
from jaxercise.matching import writable
from jaxercise.reading import MAX_NOTEBOOK_BYTES, Found, Unreadable, read, read_bytes

__all__ = [
    "EXCHANGED",
    "MAX_NOTEBOOK_BYTES",
    "NOT_SUBMITTED",
    "Found",
    "doubtful_time",
    "exchanged",
    "find",
    "handed_in",
    "read",
]

NOT_SUBMITTED = "There is no notebook for this exercise in what was submitted."
MAX_FILES = 200  # notebooks of one submission that are looked at
MAX_ENTRIES = 20_000  # files and folders of one submission that are looked through
MAX_OTHER_BYTES = 4 * MAX_NOTEBOOK_BYTES  # of all notebooks that have no exercise's name
TIMESTAMP = "timestamp.txt"
SECRET = "submission_secret.txt"  # names the student's feedback in nbgrader's exchange
EXCHANGED = (TIMESTAMP, SECRET)
MAX_EXCHANGED_BYTES = 1024
DOUBT = timedelta(minutes=10)  # saving, packing and sending take a while

Liken = Callable[[NotebookNode | None], dict[str, int]]


@dataclass(frozen=True)
class _Candidate:
    """A notebook that may be the answer to an exercise; ``likeness`` counts its cells in common."""

    path: Path
    found: Found
    likeness: Mapping[str, int]
    modified_s: float


def find(lesson: Lesson, folder: Path) -> dict[str, Found]:
    """Find a student's notebook for every exercise of a lesson.

    The notebook with the exercise's name counts. Where there is none, or only another exercise's,
    the one that has most in common with the exercise is taken, then one of a similar name; of
    several as good, the newest.

    Args:
        lesson: the lesson.
        folder: what the student submitted for it. No link in it is followed.
    """
    names = [exercise.name for exercise in lesson.exercises]
    if folder.is_symlink():
        why = "The folder that was submitted is a link, and links are not followed."
        return dict.fromkeys(names, Found(None, (why,)))
    if not folder.is_dir():
        return dict.fromkeys(names, Found(None, (NOT_SUBMITTED,)))
    liken = likeness_to(lesson)
    exact: dict[str, _Candidate] = {}
    for name in names:
        path = folder / f"{name}.ipynb"
        if os.path.lexists(path) and (path.is_symlink() or not path.is_dir()):
            exact[name] = _candidate(path, read(path), liken)
    lacking = [name for name in names if name not in exact or not _is_in_place(name, exact)]
    found = {name: candidate.found for name, candidate in exact.items() if name not in lacking}
    if not lacking:
        return found
    others, notes = _others(folder, {candidate.path for candidate in exact.values()}, liken)
    for name in lacking:
        best = _best(name, [c for key, c in exact.items() if key != name], others)
        found[name] = _report(exact.get(name), best, folder, notes)
    return {name: found[name] for name in names}


def _is_in_place(name: str, exact: Mapping[str, _Candidate]) -> bool:
    """Whether a notebook is readable and not clearly another exercise's."""
    candidate = exact[name]
    likeness = candidate.likeness
    return candidate.found.notebook is not None and (
        likeness[name] > 0 or not any(likeness.values())
    )


def _report(
    exact: _Candidate | None, best: _Candidate | None, folder: Path, notes: Sequence[str]
) -> Found:
    """Say what was found for an exercise whose own file is not there or is not to be used."""
    where = _shown(best.path, folder) if best else ""
    if exact and exact.found.notebook is None:
        also = (f"'{where}' looks like this exercise and was not graded",) if best else ()
        return Found(None, (*exact.found.notes, *also, *notes))
    if best:
        why = "there is none of the exercise's name"
        if exact:
            why = f"'{exact.path.name}' holds another exercise"
        taken = f"graded from '{where}', for {why}"
        if best.found.notebook is None:
            return Found(None, (*best.found.notes, f"this is about '{where}', for {why}", *notes))
        return Found(best.found.notebook, (taken, *best.found.notes, *notes))
    if exact:
        other = max(exact.likeness, key=lambda key: exact.likeness[key])
        why = f"The notebook with this exercise's name holds another exercise ({other})."
        return Found(None, (why, *notes))
    return Found(None, (NOT_SUBMITTED, *notes))


def _best(
    name: str, exact: Sequence[_Candidate], others: Sequence[_Candidate]
) -> _Candidate | None:
    """The notebook most like an exercise, among those with other exercises' names and others."""
    alike = [c for c in (*exact, *others) if c.likeness[name] > 0]
    # a notebook of another exercise may hold a cell of this one; one of both exercises holds many
    alike = [c for c in alike if 2 * c.likeness[name] >= max(c.likeness.values())]
    most = max((c.likeness[name] for c in alike), default=0)
    # an answered notebook has a little less in common than an untouched one
    alike = [c for c in alike if c.likeness[name] >= 0.8 * most]
    if not alike:
        word = _bare(re.sub(r"^\d+-", "", name))
        alike = [c for c in others if word in _bare(c.path.name) and not any(c.likeness.values())]
        alike = [c for c in alike if c.found.notebook is not None] or alike
    return max(alike, key=lambda c: (c.modified_s, c.path.name), default=None)


def _bare(name: str) -> str:
    """A file's name without its ending, case and separators."""
    name = unicodedata.normalize("NFKC", name).lower().split(".ipynb")[0]
    return "".join(filter(str.isalnum, name))


def _shown(path: Path, folder: Path) -> str:
    return writable(path.relative_to(folder).as_posix())


def _others(folder: Path, known: set[Path], liken: Liken) -> tuple[list[_Candidate], list[str]]:
    """All notebooks of a folder that do not have an exercise's name, and what was passed over."""
    paths, notes = _notebooks(folder)
    others: list[_Candidate] = []
    total = 0
    for path in paths:
        if path in known:
            continue
        size = path.lstat().st_size
        if len(others) >= MAX_FILES or total + size > MAX_OTHER_BYTES:
            notes.append("there are too many notebooks; not all were looked at")
            break
        total += size if size <= MAX_NOTEBOOK_BYTES else 0
        others.append(_candidate(path, read(path), liken))
    return others, notes


def _notebooks(folder: Path) -> tuple[list[Path], list[str]]:
    """Files with ``.ipynb`` in their name, those near the top first; no link is followed."""
    paths: list[Path] = []
    notes: list[str] = []
    folders, entries = [folder], 0
    for here in folders:  # grows while it is gone through
        try:
            inside = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError:
            notes.append(f"'{_shown(here, folder)}' cannot be opened")
            continue
        for entry in inside:
            entries += 1
            if entries > MAX_ENTRIES:
                return paths, [*notes, "there are too many files; not all were looked at"]
            if entry.name.startswith("."):
                continue
            path = here / entry.name
            if entry.is_dir(follow_symlinks=False):
                folders.append(path)
            elif ".ipynb" in entry.name.lower():
                paths.append(path)
            elif entry.is_symlink():
                notes.append(f"'{_shown(path, folder)}' is a link and was not followed")
    return paths, notes


def _candidate(path: Path, found: Found, liken: Liken) -> _Candidate:
    return _Candidate(path, found, liken(found.notebook), path.lstat().st_mtime)


def handed_in(folder: Path) -> datetime | None:
    """When the work was handed in, in UTC, as nbgrader reads it; None if that cannot be read."""
    try:
        return _timestamp(folder)
    except Unreadable:
        return None


def _timestamp(folder: Path) -> datetime:
    content = read_bytes(folder / TIMESTAMP, MAX_EXCHANGED_BYTES)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an unknown time zone is taken for UTC by nbgrader too
            return parse_utc(content.decode().strip()).replace(tzinfo=UTC)
    except (ValueError, OverflowError, TypeError, AttributeError):
        raise Unreadable("holds no time") from None


def exchanged(folder: Path) -> dict[str, str]:
    """What nbgrader's exchange wrote beside the notebooks, by the file's name.

    What nbgrader could not read would stop it for the whole class, and is left out.
    """
    found = {}
    for name in EXCHANGED if not folder.is_symlink() else ():
        with suppress(Unreadable, UnicodeDecodeError):
            found[name] = read_bytes(folder / name, MAX_EXCHANGED_BYTES).decode()
    if handed_in(folder) is None:
        found.pop(TIMESTAMP, None)
    return {name: text for name, text in found.items() if text}


def doubtful_time(folder: Path) -> str | None:
    """Why the time in ``timestamp.txt`` is to be doubted, or None: it decides on late penalties.

    A student can write that file. A notebook that was changed after the time in it was not there
    yet when it says that all was submitted.
    """
    if folder.is_symlink() or not os.path.lexists(folder / TIMESTAMP):
        return None
    try:
        said = _timestamp(folder)
    except Unreadable as error:
        return f"{TIMESTAMP} {error}: look at it before you apply a late penalty"
    times = [(path.lstat(), path) for path in _notebooks(folder)[0]]
    times = [(status, path) for status, path in times if stat.S_ISREG(status.st_mode)]
    if not times:
        return None
    status, newest = max(times, key=lambda pair: pair[0].st_mtime)
    changed = datetime.fromtimestamp(status.st_mtime, UTC)
    if changed - said <= DOUBT:
        return None
    return (
        f"{TIMESTAMP} says {said:%Y-%m-%d %H:%M} UTC, but {_shown(newest, folder)} was last "
        f"changed {changed:%Y-%m-%d %H:%M} UTC: look at it before you apply a late penalty"
    )
