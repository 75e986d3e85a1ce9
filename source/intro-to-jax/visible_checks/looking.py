"""How the visible checks look at what you wrote, and what they say about it.

This module must not know an exercise.
"""

import inspect
import sys
import textwrap
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WIDTH = 84  # nbgrader's Validate cuts longer lines off
INDENT = " " * 4


@dataclass(frozen=True)
class Check:
    """One thing that is looked at.

    Attributes:
        cell: the graded cell that it belongs to.
        title: what is right where it passes.
        read: words of the notebook that ask for it.
        looks: a function of what the notebook defines, by name; it raises AssertionError.
        finished: whether it needs the results of a notebook that has run to its end.
    """

    cell: str
    title: str
    read: str
    looks: Callable[..., None]
    finished: bool


@dataclass(frozen=True)
class Seen:
    """A check, and why it did not pass; an empty reason if it did."""

    check: Check
    why: str


class NotYet(Exception):
    """Something is not right yet. A notebook shows the words alone, without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return str(self).splitlines()


class Exercise:
    """An exercise and its visible checks, in their order.

    Attributes:
        name: that of its notebook.
        answers: grade ids of the cells that students write.
        hidden: how many checks follow after handing in.
    """

    def __init__(self, name: str, answers: Sequence[str], hidden: int):
        self.name, self.answers, self.hidden = name, answers, hidden
        self.checks: list[Check] = []

    @property
    def cells(self) -> list[str]:
        """Grade ids of the graded cells."""
        return list(dict.fromkeys(check.cell for check in self.checks))

    def described(self) -> dict[str, Any]:
        """Its cells, and how many checks it has of both kinds, as data."""
        cells = {"answers": list(self.answers), "graded": self.cells}
        return {**cells, "visible": len(self.checks), "hidden": self.hidden}

    def called(self, name: str) -> bool:
        """Whether it is meant by a name, with or without the number."""
        return name in (self.name, self.name.partition("-")[2])

    def check(self, cell: str, read: str, finished: bool = False) -> Callable:
        """Add a check. Its docstring is its title, its arguments are names that students define."""

        def add(looks: Callable[..., None]) -> Callable[..., None]:
            title = " ".join((looks.__doc__ or "").split())
            self.checks.append(Check(cell, title, read, looks, finished))
            return looks

        return add


def look(checks: Sequence[Check], namespace: Mapping[str, Any]) -> list[Seen]:
    """Run checks on what ``namespace`` defines."""
    return [Seen(check, why_not(check, namespace)) for check in checks]


def why_not(check: Check, namespace: Mapping[str, Any]) -> str:
    """Why a check does not pass, in words for the student; empty if it does."""
    names = list(inspect.signature(check.looks).parameters)
    for name in names:
        if name not in namespace:
            return f"`{name}` is not defined yet: write it, and run its cell."
    try:
        check.looks(*(namespace[name] for name in names))
    except NotImplementedError:
        return f"`{names[0]}` still holds `raise NotImplementedError`: your answer goes there."
    except Exception as error:
        raised_in = Path(traceback.extract_tb(error.__traceback__)[-1].filename)
        ours = isinstance(error, AssertionError) and raised_in.parent == HERE
        return str(error) if ours else what_stopped(error)
    return ""


def what_stopped(error: BaseException) -> str:
    """An error of the answer's own: its first line, and the student's line that it comes from."""
    first = next(iter(str(error).splitlines()), "")[:200].rstrip(".")
    words = f"It stopped with {type(error).__name__}{': ' if first else ''}{first}."
    frames = reversed(traceback.extract_tb(error.__traceback__))
    line = next((frame.line for frame in frames if is_own(Path(frame.filename))), "")
    return f"{words} The line is `{line}`." if line else words


def is_own(path: Path) -> bool:
    """Whether a file is the student's own: no library, and nothing that came with the lesson."""
    library = "site-packages" in path.parts or path.is_relative_to(sys.base_prefix)
    imported = path.parent == HERE.parent and path.stem in sys.modules
    return not library and not imported and path.parent != HERE


def as_text(seen: Sequence[Seen]) -> str:
    """One line a check, and below one that did not pass why, and where to read; no reason twice."""
    lines, before = [], ""
    for one in seen:
        lines.append(f"{'✗' if one.why else '✓'} {one.check.title}")
        if one.why and one.why == before:
            lines += wrapped("For the same reason.")
        elif one.why:
            lines += wrapped(one.why)
            lines += wrapped(f"Read in the contract: “{one.check.read}”") if one.check.read else []
        before = one.why
    return "\n".join(lines)


def as_rows(seen: Sequence[Seen]) -> list[dict[str, str]]:
    """The same as data."""
    return [{"cell": s.check.cell, "title": s.check.title, "message": s.why} for s in seen]


def wrapped(text: str) -> list[str]:
    options = {"break_on_hyphens": False, "break_long_words": False}
    return textwrap.wrap(text, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT, **options)


def progress(exercise: Exercise, passed: int) -> str:
    """How far this notebook is: visible checks that pass, of how many."""
    due = len(exercise.checks)
    return (
        f"{'■' * passed}{'□' * (due - passed)}  {passed} of {due} visible checks of this notebook "
        f"pass.\nMore is checked after you hand in: {exercise.hidden} checks follow the contract."
    )
