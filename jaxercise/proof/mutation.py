"""Makes mutants of a model solution: the same code with one small mistake in it.

A check that no mutant fails shows nothing; a mutant that no check fails shows what they miss. This
module turns source text into source texts and must not know exercises, checks or JAX beyond the
names in ``RELATIVES``.
"""

import ast
import difflib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

# What a learner may take for each other; each name is put in the place of each of its row.
RELATIVES = [
    ("sum", "mean", "max"),
    ("sqrt", "square"),
    ("zeros_like", "ones_like"),
    ("relu", "tanh", "gelu", "leaky_relu", "sigmoid"),
    ("bernoulli", "uniform"),
    ("grad", "value_and_grad"),
    ("vmap", "jit"),
    ("leaves", "structure"),
    ("stack", "concatenate", "hstack"),
    ("adam", "sgd", "adamw", "rmsprop", "lion"),
    ("clip_by_global_norm", "clip", "adaptive_grad_clip", "clip_by_block_rms"),
    ("perf_counter", "process_time", "perf_counter_ns"),
    ("key1", "key2", "key"),
    ("first_call_s", "mean_step_s"),
    ("jitted", "eager"),
    ("grads", "updates", "params"),
]
SWAPPED = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div,),
    ast.Pow: (ast.Mult,),
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}


@dataclass(frozen=True)
class Mutant:
    """One changed copy of a source text.

    Attributes:
        change: its name, ``function: before => after``; with a number where the same change can be
            made at several places.
        source: the whole text.
    """

    change: str
    source: str


def mutants(source: str) -> list[Mutant]:
    """All mutants of a module's functions, each text once.

    Comments and docstrings are left out of them; imports stay as they are.
    """
    module = ast.parse(source)
    _drop_docstrings(module)
    original = ast.unparse(module)
    found: dict[str, str] = {}
    times: Counter[str] = Counter()
    for function in (node for node in module.body if isinstance(node, ast.FunctionDef)):
        for edit in _edits(function):
            changed = _edited(module, edit)
            if changed is None or changed == original or changed in found:
                continue
            name = f"{function.name}: {_change(original, changed)}"
            times[name] += 1
            found[changed] = name if times[name] == 1 else f"{name} ({times[name]})"
    return [Mutant(change, text) for text, change in found.items()]


# An edit changes the tree it is given and returns what undoes it.
Edit = Callable[[], Callable[[], None]]


def _edited(module: ast.Module, edit: Edit) -> str | None:
    undo = edit()
    try:
        text = ast.unparse(ast.fix_missing_locations(module))
        ast.parse(text)
        return text
    except SyntaxError:  # a `return` of nothing where something must stand, say
        return None
    finally:
        undo()


NEAR = 24  # characters shown on either side of a change in a long line


def _change(before: str, after: str) -> str:
    """What differs, in few words: the lines that are new or gone, or the part of the one line."""
    lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    gone = [line[2:].strip() for line in lines if line.startswith("- ")]
    new = [line[2:].strip() for line in lines if line.startswith("+ ")]
    if gone == new:
        return f"{'; '.join(gone)} => moved"
    if len(gone) == len(new) == 1:
        return " => ".join(_shortened(gone[0], new[0]))
    return f"{'; '.join(gone) or 'nothing'} => {'; '.join(new) or 'nothing'}"


def _shortened(old: str, new: str) -> tuple[str, str]:
    """Two lines without most of what they have in common."""
    start = _in_common(old, new)
    end = min(_in_common(old[::-1], new[::-1]), len(old) - start, len(new) - start)
    first, last = max(0, start - NEAR), max(0, end - NEAR)

    def shown(line: str) -> str:
        middle = line[first : len(line) - last]
        return f"{'...' if first else ''}{middle}{'...' if last else ''}"

    return shown(old), shown(new)


def _in_common(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return next(
        (i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other))
    )


def _drop_docstrings(module: ast.Module) -> None:
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(
            node
        ):
            node.body = node.body[1:] or [ast.Pass()]


def _edits(function: ast.FunctionDef) -> Iterator[Edit]:
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    names |= {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    for node in ast.walk(function):
        for field, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield from _of_statements(node, field, value)
        if isinstance(node, ast.Call):
            yield from _of_call(node)
        if isinstance(node, ast.If | ast.IfExp):
            yield _put(node, test=ast.UnaryOp(ast.Not(), node.test))
            yield _put(node, test=ast.Constant(True))
            yield _put(node, test=ast.Constant(False))
        if isinstance(node, ast.Tuple | ast.List) and len(node.elts) > 1:
            yield _put(node, elts=node.elts[::-1])
        if isinstance(node, ast.BinOp):
            yield from (_put(node, op=op()) for op in SWAPPED.get(type(node.op), ()))
            yield _put(node, left=node.right, right=node.left)
        if isinstance(node, ast.BoolOp):
            yield from (_put(node, op=op()) for op in SWAPPED[type(node.op)])
        if isinstance(node, ast.Compare):
            yield from (_put(node, ops=[op()]) for op in SWAPPED.get(type(node.ops[0]), ()))
        if isinstance(node, ast.Constant):
            yield from (_put(node, value=value) for value in _other_constants(node.value))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from (_put(node, id=name) for name in _relatives(node.id) if name in names)
        if isinstance(node, ast.Attribute):
            yield from (_put(node, attr=name) for name in _relatives(node.attr))
        if isinstance(node, ast.For | ast.While):
            yield _put(node, body=[*node.body, ast.Break()])
        yield from _unwrapped(node)


def _put(node: ast.AST, **changes: object) -> Edit:
    """The edit that sets fields of a node."""

    def put(values: Mapping[str, object]) -> None:
        for field, value in values.items():
            setattr(node, field, value)

    def edit() -> Callable[[], None]:
        before = {field: getattr(node, field) for field in changes}
        put(changes)
        return lambda: put(before)

    return edit


def _of_statements(node: ast.AST, field: str, body: list[ast.stmt]) -> Iterator[Edit]:
    """Each statement left out; each two neighbours in the other order."""
    for i, statement in enumerate(body):
        if not isinstance(statement, ast.FunctionDef):
            yield _put(node, **{field: [*body[:i], *body[i + 1 :]] or [ast.Pass()]})
        if i + 1 < len(body):
            yield _put(node, **{field: [*body[:i], body[i + 1], statement, *body[i + 2 :]]})


def _of_call(call: ast.Call) -> Iterator[Edit]:
    """Each argument left out, each two neighbours swapped."""
    for i in range(len(call.args)):
        yield _put(call, args=[*call.args[:i], *call.args[i + 1 :]])
        if i + 1 < len(call.args):
            swapped = [*call.args[:i], call.args[i + 1], call.args[i], *call.args[i + 2 :]]
            yield _put(call, args=swapped)
    for i in range(len(call.keywords)):
        yield _put(call, keywords=[*call.keywords[:i], *call.keywords[i + 1 :]])


def _unwrapped(node: ast.AST) -> Iterator[Edit]:
    """``f(x)`` becomes ``x``, and ``a + b`` either of its sides, wherever they stand."""
    for field, value in ast.iter_fields(node):
        for inner in _insides(value):
            yield _put(node, **{field: inner})
        if isinstance(value, list):
            for i, item in enumerate(value):
                for inner in _insides(item):
                    yield _put(node, **{field: [*value[:i], inner, *value[i + 1 :]]})


def _insides(value: object) -> list[ast.expr]:
    if isinstance(value, ast.Call) and value.args:
        return value.args[:1]
    if isinstance(value, ast.BinOp):
        return [value.left, value.right]
    return []


def _other_constants(value: object) -> Sequence[object]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1]
    if isinstance(value, float):
        return [value * 2, 1 - value, 0.0]
    if isinstance(value, str):
        last = value[-1:]
        if last.isdigit():
            return [value[:-1] + str(int(last) + 1), value[:-1] + str(int(last) - 1)]
        return {"w": ["b"], "b": ["w"]}.get(value, list(_relatives(value)) or [value + "_"])
    return [0] if value is None else []


def _relatives(name: str) -> Iterator[str]:
    for row in RELATIVES:
        if name in row:
            yield from (other for other in row if other != name)
