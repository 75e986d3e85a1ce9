"""Extracts the model solutions from the instructor's notebooks into ``reference/``.

The notebooks are the truth; a module is the imports and answer cells of one of them.
"""

import ast
import sys

from jaxercise.course import Exercise, is_answer, read_notebook

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


def module_source(exercise: Exercise) -> str:
    """The exercise's answer cells as one importable module.

    Only functions, classes and the imports they need are kept: results of a finished notebook
    (a trained network, a report) are not part of an answer that can be imported.
    """
    cells = [cell for cell in read_notebook(exercise.notebook).cells if cell.cell_type == "code"]
    solutions = [_without_markers(cell.source) for cell in cells if is_answer(cell)]
    definitions = [part for source in solutions for part in _definitions(source)]
    body = "\n\n\n".join(definitions)
    tree = ast.parse(body)
    own = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - own
    imports = _imports([cell.source for cell in cells if not is_answer(cell)] + solutions, used)
    head = (
        f'"""Model solution of {exercise.name}, extracted from its notebook: do not edit here.\n\n'
        '``jaxercise reference`` writes this file.\n"""'
    )
    return f"{head}\n\n{imports}\n\n\n{body}\n"


def _without_markers(source: str) -> str:
    lines = source.splitlines()
    return "\n".join(line for line in lines if line.strip() not in (BEGIN, END))


def _definitions(source: str) -> list[str]:
    """The top-level functions and classes of a cell, with decorators and comments inside."""
    tree = ast.parse(source)
    kinds = (ast.FunctionDef, ast.ClassDef)
    if not all(isinstance(node, (*kinds, ast.Import, ast.ImportFrom)) for node in tree.body):
        return []  # a cell of results
    parts = []
    for node in tree.body:
        if isinstance(node, kinds):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            parts.append("\n".join(source.splitlines()[first - 1 : node.end_lineno]))
    return parts


def _imports(sources: list[str], used: set[str]) -> str:
    """Imports of the notebook that the solution uses, standard library first."""
    plain: set[str] = set()
    chosen: dict[str, set[str]] = {}
    for node in (node for source in sources for node in ast.parse(source).body):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if (alias.asname or alias.name.split(".")[0]) in used:
                    plain.add(f"import {_named(alias)}")
        elif isinstance(node, ast.ImportFrom) and node.module != "jaxercise":
            names = {_named(alias) for alias in node.names if (alias.asname or alias.name) in used}
            if names:
                chosen.setdefault(str(node.module), set()).update(names)
    plain |= {f"from {module} import {', '.join(sorted(chosen[module]))}" for module in chosen}
    standard = {line for line in plain if line.split()[1].split(".")[0] in sys.stdlib_module_names}
    groups = [sorted(group, key=_order) for group in (standard, plain - standard) if group]
    return "\n\n".join("\n".join(group) for group in groups)


def _order(line: str) -> tuple[bool, str]:
    """`import x` before `from x import y`, as import sorters have it."""
    return line.startswith("from"), line


def _named(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name
