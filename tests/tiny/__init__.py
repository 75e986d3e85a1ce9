"""A course of one lesson with two small notebooks, so that grading a class of it is quick."""

import shutil
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from jaxercise.course import Course, load_course

HERE = Path(__file__).parent
LESSON = "first-steps"
SCALE, LOSS = "1-scale", "2-loss"
CELLS = {"scale-double": 4, "scale-noise": 3, "scale-total": 3, "loss-values": 5}

LIMITS = """
c.Jaxercise.cell_seconds = 3
c.Jaxercise.notebook_seconds = 10
c.Jaxercise.answer_seconds = 4
c.Jaxercise.memory_mib = 800
c.Jaxercise.written_mib = 20
c.Jaxercise.output_mib = 0.5
"""


def build(root: Path) -> Course:
    """Write the course's source, checks and configuration into an empty folder."""
    source = root / "source" / LESSON
    source.mkdir(parents=True)
    nbformat.write(scale(), source / f"{SCALE}.ipynb")
    nbformat.write(loss(), source / f"{LOSS}.ipynb")
    shutil.copy(HERE / "scales.py", source)
    checks = root / "tests" / "checks"
    shutil.copytree(HERE / "checks", checks, ignore=shutil.ignore_patterns("__pycache__"))
    real = (HERE.parents[1] / "nbgrader_config.py").read_text()
    assert "c.Jaxercise.public_files = " in real
    ours = f'\nc.Jaxercise.public_files = {{"{LESSON}": ["scales.py"]}}\n'
    (root / "nbgrader_config.py").write_text(real + ours + LIMITS)
    return load_course(root)


def scale() -> NotebookNode:
    return _notebook(
        _prose("title", "# Exercise 1 · Scales\n\nTwo functions and a number."),
        _code("imports", "import jax\nimport jax.numpy as jnp\n\nfrom scales import numbers"),
        _answer("double", "def double(x):", "return 2 * x"),
        _graded("scale-double", "assert double(jnp.ones(3)).shape == (3,), 'keep the shape'"),
        _prose("noise-text", "Now add normal noise."),
        _answer("noise", "def noise(key, x):", "return x + jax.random.normal(key, x.shape)"),
        _graded(
            "scale-noise",
            "assert noise(jax.random.key(0), jnp.ones(3)).shape == (3,), 'keep the shape'",
        ),
        _answer("total", "# total = ...   the sum of the doubled numbers()", RIGHT_TOTAL, ""),
        _graded("scale-total", "assert total == total, 'there should be a total'"),
        _prose("thoughts", "*Your thoughts here.*", tags=["free-text"]),
    )


def loss() -> NotebookNode:
    return _notebook(
        _prose("title", "# Exercise 2 · A loss"),
        _code("imports", "import jax\nimport jax.numpy as jnp"),
        _answer("loss", "def loss(w, x, y):", "return jnp.mean((x @ w - y) ** 2)"),
        _graded(
            "loss-values",
            "assert loss(jnp.ones(2), jnp.ones((3, 2)), jnp.full(3, 2.0)) == 0, 'no error'",
        ),
        _prose("thoughts", "*Your thoughts here.*", tags=["free-text"]),
    )


RIGHT_TOTAL = "total = float(double(numbers()).sum())"


def _notebook(*cells: NotebookNode) -> NotebookNode:
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    return new_notebook(cells=list(cells), metadata={"kernelspec": kernel})


def _prose(cell_id: str, source: str, **metadata: object) -> NotebookNode:
    return new_markdown_cell(source, id=cell_id, metadata=metadata)


def _code(cell_id: str, source: str, **nbgrader: object) -> NotebookNode:
    if not nbgrader:
        return new_code_cell(source, id=cell_id)
    ours = {"grade_id": cell_id, "schema_version": 3, "task": False, **nbgrader}
    return new_code_cell(source, id=cell_id, metadata={"nbgrader": ours})


def _answer(name: str, head: str, body: str, indent: str = "    ") -> NotebookNode:
    region = f"{indent}### BEGIN SOLUTION\n{indent}{body}\n{indent}### END SOLUTION"
    return _code(f"{name}-answer", f"{head}\n{region}", grade=False, locked=False, solution=True)


def _graded(cell_id: str, visible: str) -> NotebookNode:
    hidden = (
        "### BEGIN HIDDEN TESTS\nfrom jaxercise import grade\n\n"
        f'grade("{cell_id}")\n### END HIDDEN TESTS'
    )
    points = CELLS[cell_id]
    more = {"grade": True, "locked": True, "points": points, "solution": False}
    return _code(cell_id, f"# {points} points.\n{visible}\n{hidden}", **more)
