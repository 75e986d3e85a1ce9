"""Which names a cell's source defines, read from its text.

Source is never run and may be broken. It must not know about notebooks.
"""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator

DEFINITION = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
ASSIGNMENT = re.compile(r"^(\w+(?:[ \t]*,[ \t]*\w+)*)[ \t]*=(?!=)", re.MULTILINE)
LINE_MAGIC = re.compile(r"^([ \t]*)(?:[%!?].*|[\w.]+\?{1,2}[ \t]*)$", re.MULTILINE)
ASSIGNED_MAGIC = re.compile(r"^([\w, \t]+=)[ \t]*[%!].*$", re.MULTILINE)
USUAL_MAGIC = re.compile(r"%%(?:time|capture|prun)\b")  # these run their cell as if not there
PARSED_CHARACTERS = 200_000  # the longest source that is parsed; no answer comes near it


def defined_names(source: str) -> frozenset[str]:
    """The functions, classes and variables that a cell defines at its top level.

    IPython's magics are passed over. Of source that does not parse, lines that look like
    definitions count.
    """
    tree = _parse(source)
    if tree is not None:
        return frozenset(_bound(tree.body))
    assigned = [re.split(r"[\s,]+", names) for names in ASSIGNMENT.findall(source)]
    return frozenset(DEFINITION.findall(source)) | {n for names in assigned for n in names}


def parses(source: str) -> bool:
    """Whether a cell is Python, with or without IPython's magics."""
    return _parse(source) is not None


def _parse(source: str) -> ast.Module | None:
    if source.lstrip().startswith("%%"):
        head, _, source = source.lstrip().partition("\n")
        if not USUAL_MAGIC.match(head):  # the cell defines nothing here, as under %%writefile
            return ast.Module([], [])
    if len(source) > PARSED_CHARACTERS:
        return None
    masked = LINE_MAGIC.sub(r"\1pass", ASSIGNED_MAGIC.sub(r"\1 None", source))
    for text in (source, masked):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # such as "\d" in a plain string
                return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _bound(body: Iterable[ast.AST]) -> Iterator[str]:
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _targets(target)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield from _targets(node.target)
        elif not isinstance(node, ast.Expr):
            # the bodies of if, for, while, with, match and try belong to the top level
            for field in ("body", "handlers", "orelse", "finalbody", "cases"):
                waiting += getattr(node, field, [])


def _targets(target: ast.expr) -> Iterator[str]:
    for node in ast.walk(target):  # of a.b = and a[b] = no name is bound, and its context says so
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
