"""Watches one check being judged: whether it is the one, when it asks, and where it failed.

What it finds holds expected values, so it is for the instructor alone. It must not know
submissions, verdicts that are kept, or how anything is shown.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from jaxercise import checks, judging
from jaxercise.recording import Tape
from jaxercise.summaries import Row, harmless, is_data, rows

MAX_ROWS = 40  # of one frame
MAX_LEAVES = 6  # of one value there
MAX_ERRORS = 4  # an error, and those that it was raised for
MAX_FRAMES = 8
MAX_SOURCE = 300  # characters shown of a statement
WITHOUT_NEWS = ("recognise",)  # its caller has the values


@dataclass(frozen=True)
class Frame:
    """One function of the checks on the way to a failure.

    Attributes:
        where: file and line.
        function: its name.
        statement: what it was at; of an assertion, its condition.
        values: the sides of that condition, the function's variables, and constants it uses.
        raised: what this failure was, where another was raised for it.
    """

    where: str
    function: str
    statement: str
    values: tuple[Row, ...]
    raised: str = ""


class Witness:
    """Pytest plugin beside the judge: lets one check through and sees where it fails.

    Args:
        check: the check's id.
        tape: it runs during that check only, and is closed afterwards.
        earlier: let the checks before it through, too, unrecorded.
    """

    def __init__(self, check: str, tape: Tape, earlier: bool = False):
        self.check, self.tape, self.earlier = check, tape, earlier
        self.where = ""
        self.frames: tuple[Frame, ...] = ()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        at = next((n for n, item in enumerate(items) if self._is_it(item)), None)
        if at is None:
            items.clear()
            return
        path, line, _ = items[at].location
        self.where = f"{path}:{(line or 0) + 1}"
        items[:] = items[0 if self.earlier else at : at + 1]

    def _is_it(self, item: pytest.Item) -> bool:
        return judging.describe(item).id == self.check

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        self.tape.running = self._is_it(item)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo) -> None:
        if not self.tape.running or self.tape.closed:
            return
        if call.excinfo is not None:
            self.tape.closed = True  # to see the values again must not ask again
            self.frames = tuple(frames_of(call.excinfo.value, Path(item.path).parent))
        elif call.when == "call":
            self.tape.closed = True


def frames_of(error: BaseException, folder: Path) -> list[Frame]:
    """Where a check failed: its own functions and the shared ones of ``checks``, outermost first,
    then those of the failure that was being looked into, if it was raised for another."""
    found: list[Frame] = []
    known: set[int] = set()
    for cause in _causes(error):
        own = [at for at in _traced(cause) if _is_of_checks(at[0], folder)]
        for n, (frame, line) in enumerate(own):
            earlier = cause is not error and n == len(own) - 1
            raised = f"{type(cause).__name__}: {cause}" if earlier else ""
            found.append(_look(frame, line, raised, id(frame) not in known))
            known.add(id(frame))
    return found[:MAX_FRAMES]


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(MAX_ERRORS):
        if error is None:
            return
        yield error
        hidden = error.__suppress_context__
        error = error.__cause__ if error.__cause__ or hidden else error.__context__


def _traced(error: BaseException) -> Iterator[tuple[FrameType, int]]:
    at = error.__traceback__
    while at is not None:
        yield at.tb_frame, at.tb_lineno
        at = at.tb_next


def _is_of_checks(frame: FrameType, folder: Path) -> bool:
    path = Path(frame.f_code.co_filename)
    if frame.f_code.co_name in WITHOUT_NEWS:
        return False
    return path.parent == folder or path == Path(checks.__file__)


def _look(frame: FrameType, line: int, raised: str, whole: bool) -> Frame:
    """What there is to see in a frame; without its variables if it is there a second time."""
    path = Path(frame.f_code.co_filename)
    source = path.read_text(encoding="utf-8")
    statement = _statement(source, line)
    names = {**frame.f_globals, **frame.f_locals}
    values: list[Row] = []
    if statement is not None:
        for operand in _operands(_condition(statement)):
            values += _value(operand, source, names)
    if whole:
        for name in [*frame.f_locals, *_constants(frame.f_code, frame)]:
            if name.isidentifier() and not name.startswith("__") and is_data(names[name]):
                values += rows(name, names[name], MAX_LEAVES)
    if len(values) > MAX_ROWS:
        values = [*values[:MAX_ROWS], ("…", "and more")]
    shown = _shown(statement, source) if statement is not None else ""
    return Frame(
        f"{path.name}:{line}", frame.f_code.co_name, shown, tuple(values), harmless(raised)
    )


def _constants(code: CodeType, frame: FrameType) -> list[str]:
    """Names of the module's own data that a function uses."""
    used = [name for name in code.co_names if name in frame.f_globals]
    return [name for name in dict.fromkeys(used) if name not in frame.f_locals]


def _statement(source: str, line: int) -> ast.stmt | None:
    """The innermost statement that a line belongs to."""
    around = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return min(around, key=lambda node: (node.end_lineno or 0) - node.lineno, default=None)


def _condition(statement: ast.stmt) -> ast.expr | None:
    """What an assertion asserts; of a call, ``recognise(seen, ...)`` say, the call."""
    if isinstance(statement, ast.Assert):
        return statement.test
    return statement.value if isinstance(statement, ast.Expr) else None


def _shown(statement: ast.stmt, source: str) -> str:
    """A statement without the words that it has for the student, which are shown elsewhere."""
    node: ast.AST = statement
    begin, end = "", ""
    if isinstance(statement, ast.Assert):
        node, begin = statement.test, "assert "
    elif (call := _recognition(statement)) is not None:
        node, begin, end = call.args[0], "recognise(", ", …)"
    text = " ".join((ast.get_source_segment(source, node) or "").split())
    return harmless(f"{begin}{text}{end}", MAX_SOURCE)


def _recognition(node: ast.AST | None) -> ast.Call | None:
    """A call of ``recognise``, if it is one."""
    node = node.value if isinstance(node, ast.Expr) else node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
        return None
    return node if node.func.id in WITHOUT_NEWS else None


def _operands(node: ast.expr | None) -> Iterator[ast.expr]:
    """The sides of a condition: what is compared, and what is handed to a function that compares.
    Names and constants are not among them, for they are shown as variables or speak for
    themselves."""
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _operands(value)
    elif isinstance(node, ast.UnaryOp):
        yield from _operands(node.operand)
    elif isinstance(node, ast.Compare):
        yield from filter(_is_more_than_a_name, [node.left, *node.comparators])
    elif isinstance(node, ast.Call):
        if _recognition(node) is not None:
            yield from _operands(node.args[0])  # the rest is its words
        elif isinstance(node.func, ast.Attribute) and not node.args:  # (a == b).all()
            yield from _operands(node.func.value)
        else:
            yield from filter(_is_more_than_a_name, node.args)


def _is_more_than_a_name(node: ast.expr) -> bool:
    plain = (ast.Name, ast.Constant, ast.JoinedStr, ast.Starred, ast.GeneratorExp, ast.Lambda)
    lasting = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
    return not isinstance(node, plain) and not any(isinstance(n, lasting) for n in ast.walk(node))


def _value(node: ast.expr, source: str, names: dict[str, Any]) -> list[Row]:
    """An expression of the check and what it is. The instructor wrote it, and the check has just
    come to it; what would ask the student again, or cannot be had, is left out."""
    text = " ".join((ast.get_source_segment(source, node) or "").split())
    try:
        value = eval(compile(ast.Expression(node), "<check>", "eval"), names)
    except Exception:
        return []
    return rows(harmless(text, 80), value, MAX_LEAVES) if is_data(value) else []
