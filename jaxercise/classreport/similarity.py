"""Finds answers to one cell that are alike once names, comments and layout are put aside.

What it finds is a hint for a person to look at. Source is read as text and never run; it must not
know about marks or files.
"""

import ast
import hashlib
import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from jaxercise.definitions import LINE_MAGIC
from jaxercise.matching import text_key

LONGEST = 50_000  # characters of an answer that are read
SHORTEST = 40  # parts of a syntax tree; what is shorter is written alike by chance
MOST = 8  # students; what more share has been found in common, or taught
SOME = 3  # students of a small class who may share an answer that is still called rare
SHARE = 0.1  # of the answers to a cell; what more share is usual
CHANCE = 0.1  # of other pairs are alike: then the cell has few ways of being written
ENOUGH = 5  # other answers, to say how often two are alike

NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)


@dataclass(frozen=True)
class Shape:
    """What an answer is with names, comments and layout aside, and how many parts it has."""

    digest: str
    size: int


@dataclass(frozen=True)
class Group:
    """Students whose answers to a cell are alike, which is rare there.

    Attributes:
        same_text: the very same text, comments and names included.
        size: how many parts the answer has.
        of: how many answers to this cell were compared.
        chance: share of the other pairs of answers that are alike; None if those are too few.
        like_model: the model solution is like it, too.
    """

    cell: str
    students: tuple[str, ...]
    same_text: bool
    size: int
    of: int
    chance: float | None
    like_model: bool


def groups(
    cell: str, answers: Mapping[str, str], model: str = "", given: str = ""
) -> tuple[Group, ...]:
    """Rare answers to one cell that several students share.

    Args:
        cell: its grade id.
        answers: by student, what each wrote; stubs are left out.
        model: the model solution.
        given: code that stands before it in the notebook; its imports say what names mean.
    """
    known = imported(_parse(given))
    shapes = {student: shape(source, known) for student, source in answers.items()}
    long = {s: found for s, found in shapes.items() if found and found.size >= SHORTEST}
    by_shape: dict[str, list[str]] = defaultdict(list)
    for student, found in sorted(long.items()):
        by_shape[found.digest].append(student)
    solution = shape(model, known)
    alike = [
        Group(
            cell,
            tuple(students),
            len({text_key(answers[student]) for student in students}) == 1,
            long[students[0]].size,
            len(long),
            _chance([len(other) for key, other in by_shape.items() if key != digest]),
            solution is not None and solution.digest == digest,
        )
        for digest, students in by_shape.items()
        if len(students) > 1
    ]
    return tuple(group for group in alike if _is_rare(group))


def _is_rare(group: Group) -> bool:
    number = len(group.students)
    few = number <= min(MOST, group.of / 2, max(SOME, SHARE * group.of))
    return few and (group.chance is None or group.chance <= CHANCE)


def _chance(sizes: Iterable[int]) -> float | None:
    """How many of all pairs are alike, where ``sizes`` are the numbers of those who are."""
    sizes = list(sizes)
    number = sum(sizes)
    if number < ENOUGH:
        return None
    return sum(n * (n - 1) for n in sizes) / (number * (number - 1))


def shape(source: str, known: Mapping[str, str] | None = None) -> Shape | None:
    """An answer's shape, or None if it is no Python that can be read.

    Args:
        source: the cell's code.
        known: names that are imported before it, and what they are.
    """
    tree = _parse(source)
    if tree is None:
        return None
    try:
        plain = _Plain({**(known or {}), **imported(tree)}, _bound(tree)).visit(tree)
        size = sum(not isinstance(node, ast.expr_context) for node in ast.walk(plain))
        dumped = ast.dump(plain)
    except RecursionError:
        return None
    return Shape(hashlib.sha256(dumped.encode("utf-8", "replace")).hexdigest(), size)


def _parse(source: str) -> ast.Module | None:
    if len(source) > LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as "\d" in a plain string
            return ast.parse(LINE_MAGIC.sub(r"\1pass", source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def imported(tree: ast.AST | None) -> dict[str, str]:
    """The names that imports bind, and what they stand for: ``jnp`` for ``jax.numpy``."""
    found: dict[str, str] = {}
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                found[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module or ''}.{alias.name}"
    return found


def _bound(tree: ast.AST) -> set[str]:
    """Names that the code gives itself: they may be called anything."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, NAMED) and node.name:
            found.add(node.name)
    return found


class _Plain(ast.NodeTransformer):
    """Takes away what does not change what code does, and numbers its own names as they come."""

    def __init__(self, known: Mapping[str, str], bound: set[str]):
        self.known, self.bound = known, bound
        self.numbers: dict[str, str] = {}

    def _renamed(self, name: str) -> str:
        if name in self.bound:
            return self.numbers.setdefault(name, f"#{len(self.numbers)}")
        return f"@{self.known[name]}" if name in self.known else name

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self._renamed(node.id), node.ctx)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id.startswith("@"):
            return ast.Name(f"{node.value.id}.{node.attr}", node.ctx)  # from x import y: the same
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self._renamed(node.arg))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        own = isinstance(node.func, ast.Name) and node.func.id in self.bound
        self.generic_visit(node)
        for keyword in node.keywords:
            if own and keyword.arg:  # an argument of the student's own function
                keyword.arg = self._renamed(keyword.arg)
        node.keywords.sort(key=lambda keyword: (keyword.arg is None, keyword.arg or ""))
        return node

    def visit_Global(self, node: ast.Global) -> ast.AST:
        return ast.Global([self._renamed(name) for name in node.names])

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        return ast.Nonlocal([self._renamed(name) for name in node.names])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name, node.returns, node.type_comment = self._renamed(node.name), None, None
        self.generic_visit(node)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.name, node.returns, node.type_comment = self._renamed(node.name), None, None
        self.generic_visit(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = self._renamed(node.name)
        self.generic_visit(node)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        node.name = node.name and self._renamed(node.name)
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return self.visit(ast.Assign([node.target], node.value))

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        if isinstance(node.value, ast.Constant) or _prints(node.value):
            return None  # docstrings, and what only shows something
        self.generic_visit(node)
        return node

    def visit_Pass(self, node: ast.Pass) -> None:
        return None

    def visit_Import(self, node: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None


def _prints(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    )
