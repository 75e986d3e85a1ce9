"""A ``Student`` that takes note of what it is asked and of what comes back, in bounded space.

Only summaries are kept, made at once: what is asked may be changed afterwards. It must not know
checks, points or where the student's code runs.
"""

import hashlib
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jaxercise import summaries
from jaxercise.exhibits import PROGRAM_REPLIES, REPLIES, fill, is_reply
from jaxercise.student import NO_RESULT, Ask, Gone, Student
from jaxercise.summaries import Row, harmless, rows

FIRST, LAST = 12, 8  # exchanges kept, of those that a check made
MAX_ROWS = 16  # of what was asked in one of them, and of what was seen
MAX_PROGRAMS = 1_000  # whose names are remembered

# what is told of a request besides its arguments
SETTINGS = ("derivative", "fresh", "wrt")
DATA = ("params", "grads", "state", "cotangent", "cotangents")


@dataclass(frozen=True)
class Exchange:
    """One request and its reply, in summaries.

    Attributes:
        number: counted from 1 over all requests of the check.
        what: what was to be done, "call", "trace", "run": as ``exhibits.REPLIES`` names them.
        name: the function or variable.
        asked: arguments and settings.
        seen: what came back.
        refused: why nothing did, in words.
        seconds: how long it took.
    """

    number: int
    what: str
    name: str
    asked: tuple[Row, ...]
    seen: tuple[Row, ...]
    refused: str
    seconds: float


@dataclass
class Tape:
    """What was noted. It notes while ``running``; once ``closed`` nobody can be asked any more."""

    running: bool = False
    closed: bool = False
    count: int = 0
    first: list[Exchange] = field(default_factory=list)
    last: deque[Exchange] = field(default_factory=lambda: deque(maxlen=LAST))
    programs: dict[bytes, tuple[str, Any]] = field(default_factory=dict)  # name, template

    @property
    def exchanges(self) -> list[Exchange]:
        """Those that were kept, in order; ``count`` says how many there were."""
        return [*self.first, *self.last]


class Closed(RuntimeError):
    """The check is over."""


def recorded(student: Student, tape: Tape) -> Student:
    """The same student, with everything noted on ``tape``."""
    return Student(_noting(student.ask_probe, tape), _noting(student.ask_runner, tape))


def _noting(ask: Ask, tape: Tape) -> Ask:
    def noted(request: dict) -> dict:
        if tape.closed:
            raise Closed("the check is over")
        asked = _asked(request) if tape.running else []
        began, reply, gone = time.monotonic(), {}, ""
        try:
            reply = ask(request)
        except Gone as error:
            gone = error.why
            raise
        finally:
            seconds = time.monotonic() - began
            _remember(request, reply, tape)
            if tape.running:
                _note(tape, request, asked, reply, gone, seconds)
        return reply

    return noted


def _note(
    tape: Tape, request: dict, asked: list[Row], reply: Any, gone: str, seconds: float
) -> None:
    what = request["do"]
    name, template = request.get("name", ""), None
    if "program" in request:
        unknown = ("a program traced earlier", None)
        name, template = tape.programs.get(_digest(request["program"]), unknown)
    parts = PROGRAM_REPLIES if "program" in request else REPLIES
    seen: list[Row] = []
    if gone:
        refused = gone
    elif not is_reply(reply, parts.get(what, {})):
        refused = NO_RESULT
    elif "refused" in reply:
        refused = f"{reply['refused']}: {reply['text']}"
    else:
        refused, seen = "", _seen({part: reply[part] for part in parts[what]}, template)
    tape.count += 1
    exchange = Exchange(
        number=tape.count,
        what=what,
        name=harmless(name, 100),
        asked=_cut(asked),
        seen=_cut(seen),
        refused=harmless(refused),
        seconds=seconds,
    )
    (tape.first if len(tape.first) < FIRST else tape.last).append(exchange)


def _asked(request: Mapping[str, Any]) -> list[Row]:
    found: list[Row] = []
    kind = "array" if "program" in request else "argument"  # a program's are flattened
    for n, argument in enumerate(request.get("args", ())):
        found += rows(f"{kind} {n + 1}", argument)
    for name, argument in request.get("kwargs", {}).items():
        found += rows(f"{name}=", argument)
    for part in DATA:
        if request.get(part) is not None:
            found += rows(part, request[part])
    if "values" in request:
        found += [
            ("in place of", f"array {request['at'] + 1}, one run for each of"),
            *rows("values", request["values"]),
        ]
    found += [(name, str(request[name])) for name in SETTINGS if request.get(name)]
    return found


def _seen(reply: Mapping[str, Any], template: Any) -> list[Row]:
    """What a reply holds. What is empty is left out, but not a result."""
    found: list[Row] = []
    for part, value in reply.items():
        if part == "leaves":
            whole = value if template is None else fill(template, value)
            found += rows("result", whole)
        elif part == "results":
            for n, leaves in enumerate(value[: summaries.MAX_ROWS]):
                whole = leaves
                if template is not None and isinstance(leaves, list):
                    whole = fill(template, leaves)
                found += rows(f"result {n + 1}", whole)
            found += [("results", f"{len(value)} in all")] * (len(value) > summaries.MAX_ROWS)
        elif part == "value":
            found += rows("result", value)
        elif part in ("changed", "leaked"):
            names = ", ".join(harmless(str(name), 100) for name in value[: summaries.MAX_ROWS])
            found += [(part, names)] * bool(value)
        elif part == "logs":
            for n, log in enumerate(value[: summaries.MAX_ROWS]):
                found += rows(f"log of stand-in {n + 1}", log)
        elif part == "fingerprint":
            found.append(("fingerprint", harmless(value, 16)))
        elif isinstance(value, bytes):
            found.append((part, f"a program of {len(value)} bytes"))  # its template is left out
    return found


def _cut(found: list[Row]) -> tuple[Row, ...]:
    if len(found) <= MAX_ROWS:
        return tuple(found)
    return (*found[:MAX_ROWS], ("…", f"{len(found) - MAX_ROWS} lines more"))


def _remember(request: Mapping[str, Any], reply: Any, tape: Tape) -> None:
    """Which function a traced program is of: a request to run it holds the program only."""
    if not isinstance(reply, dict) or len(tape.programs) >= MAX_PROGRAMS:
        return
    if request["do"] == "trace" and isinstance(reply.get("program"), bytes):
        tape.programs[_digest(reply["program"])] = (request["name"], reply.get("template"))
    if request["do"] == "optimizer_trace":
        for part in ("init", "update"):
            if isinstance(reply.get(part), bytes):
                name = f"{request['name']}(...).{part}"
                template = reply.get(f"{part}_template")
                tape.programs[_digest(reply[part])] = (name, template)


def _digest(program: bytes) -> bytes:
    return hashlib.sha256(program).digest()
