"""Extracts the model solutions from the instructor's notebooks into ``reference/``.

The notebooks are the truth; a module is the imports and answer cells of one of them.
"""

import ast

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
    if not all(isinstance(node, kinds + (ast.Import, ast.ImportFrom)) for node in tree.body):
        return []  # a cell of results
    parts = []
    for node in tree.body:
        if isinstance(node, kinds):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            parts.append("\n".join(source.splitlines()[first - 1 : node.end_lineno]))
    return parts


def _imports(sources: list[str], used: set[str]) -> str:
    """Imports of the notebook that the solution uses, one name a line, standard library first."""
    plain, chosen = set(), {}
    for source in sources:
        for node in ast.parse(source).body:
            if isinstance(node, ast.Import):
                for name in node.names:
                    bound = name.asname or name.name.split(".")[0]
                    if bound in used:
                        plain.add(
                            f"import {name.name}" + (f" as {name.asname}" if name.asname else "")
                        )
            elif isinstance(node, ast.ImportFrom) and node.module != "jaxercise":
                names = {
                    n.name + (f" as {n.asname}" if n.asname else "")
                    for n in node.names
                    if (n.asname or n.name) in used
                }
                if names:
                    chosen.setdefault(node.module, set()).update(names)
    from_lines = [
        f"from {module} import {', '.join(sorted(names))}" for module, names in chosen.items()
    ]
    return "\n".join(sorted(plain) + sorted(from_lines))
