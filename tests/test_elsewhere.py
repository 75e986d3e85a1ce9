"""Colab, VS Code, Binder and GitHub Classroom: what is set up for them works, and what comes back
from them can be graded.

None of these services is asked: Colab is stood in for by a module of its name and a local server.
"""

import functools
import os
import re
import shutil
import subprocess
import sys
import threading
from contextlib import contextmanager
from copy import deepcopy
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import nbformat
import pytest
import yaml

from jaxercise import colab, release
from jaxercise.course import load_course, nbgrader_metadata, read_notebook
from jaxercise.restore import restore

ROOT = Path(__file__).parents[1]
RELEASED = ROOT / "release" / "intro-to-jax"
ANSWER = "def dropout(key, x, rate):\n    return x  # mine"


# --- Colab ---------------------------------------------------------------------------------------


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format, *args):
        pass


@contextmanager
def served(folder: Path):
    """The address of a server on this machine that hands out a folder's files."""
    handler = functools.partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def first_cell(course, address: str) -> str:
    """The code that a released exercise begins with."""
    config = course.root / "nbgrader_config.py"
    config.write_text(config.read_text() + f'\nc.Jaxercise.files_address = "{address}/"\n')
    again = load_course(course.root)
    (lesson,) = again.lessons
    folder = release.release(again, lesson)
    cells = read_notebook(folder / "1-dropout-keys.ipynb").cells
    return next(cell.source for cell in cells if cell.cell_type == "code")


def run_alone(folder: Path, code: str) -> str:
    """What code prints that runs in a folder, without the lesson's files on its path."""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


COLAB = "import sys, types\nsys.modules['google.colab'] = types.ModuleType('google.colab')\n"
# JAX, too, looks whether it is in Colab
USE = """
del sys.modules["google.colab"]
from mlp import load_mnist
import visible_checks
print(load_mnist().x_valid.shape)
"""


def test_in_colab_the_first_cell_fetches_the_lessons_files(course_copy, tmp_path):
    alone, elsewhere = tmp_path / "alone", tmp_path / "elsewhere"
    alone.mkdir(), elsewhere.mkdir()
    with served(course_copy.root / "release" / "intro-to-jax") as address:
        code = first_cell(course_copy, address)
        assert run_alone(alone, COLAB + code + USE).strip() == "(500, 784)"
        run_alone(elsewhere, code)
    assert not list(elsewhere.iterdir())
    found = {str(path.relative_to(alone)) for path in release.files_in(alone)}
    assert {"mlp.py", "mnist.npz", "visible_checks/looking.py"} <= found
    assert not [name for name in found if name.endswith((".md", ".ipynb"))]


def test_without_an_address_it_says_what_to_do(the_course):
    for path in sorted(RELEASED.glob("*.ipynb")):
        cells = [cell for cell in read_notebook(path).cells if cell.cell_type == "code"]
        assert cells[0].id == colab.CELL and cells[0].source == colab.ELSEWHERE


# --- notebooks as other programs save them -------------------------------------------------------


def handed_in(exercise: str, answer: str):
    notebook = read_notebook(RELEASED / f"{exercise}.ipynb")
    for cell in notebook.cells:
        if nbgrader_metadata(cell).get("grade_id") == "dropout-answer":
            cell.source = answer
    return notebook


def by_colab(notebook) -> dict:
    """As Colab saves it: format 4.0, its own ids in the metadata, outputs with theirs."""
    saved = deepcopy(notebook)
    saved.nbformat_minor = 0
    saved.metadata = {"colab": {"provenance": []}, "kernelspec": saved.metadata["kernelspec"]}
    for number, cell in enumerate(saved.cells):
        cell.metadata["id"] = f"x{number}Yz_0AbCd"
        if cell.cell_type == "code":
            cell.metadata["colab"] = {"base_uri": "https://localhost:8080/"}
            cell.metadata["outputId"] = f"7d1a-{number}"
        del cell["id"]
    return saved


def by_vs_code(notebook) -> dict:
    """As VS Code saves it: languages noted, a kernel of another name, ids dropped in format 4.2."""
    saved = deepcopy(notebook)
    saved.nbformat_minor = 2
    saved.metadata["kernelspec"] = {"display_name": ".venv (3.11.9)", "name": "python3"}
    saved.metadata["language_info"] = {"name": "python", "version": "3.11.9"}
    for cell in saved.cells:
        cell.metadata["vscode"] = {"languageId": "python"}
        del cell["id"]
    return saved


@pytest.mark.parametrize("save", [by_colab, by_vs_code])
def test_what_other_programs_save_comes_back_gradable(the_course, save, tmp_path):
    exercise = the_course.exercise("1-dropout-keys")
    path = tmp_path / "1-dropout-keys.ipynb"
    path.write_text(nbformat.v4.writes(save(handed_in(exercise.name, ANSWER))))
    restored = restore(nbformat.read(path, as_version=4), read_notebook(exercise.notebook))
    cells = {nbgrader_metadata(cell).get("grade_id"): cell for cell in restored.notebook.cells}
    assert cells["dropout-answer"].source == ANSWER
    assert "visible_checks.run" in cells["dropout-mask"].source
    assert restored.repairs == ()


# --- Binder --------------------------------------------------------------------------------------


def pins(path: Path) -> dict[str, str]:
    """Pinned versions by package, as on Python 3.11."""
    lines = [line.split("#")[0].strip() for line in path.read_text().splitlines()]
    older = [line for line in lines if "==" in line and "python_version >=" not in line]
    return dict(line.split(";")[0].strip().split("==") for line in older)


def test_binder_has_the_versions_that_the_tests_have(the_course):
    ours, binder = pins(ROOT / "requirements.lock"), pins(ROOT / ".binder" / "requirements.txt")
    assert binder.items() <= ours.items()
    assert (ROOT / ".binder" / "runtime.txt").read_text().strip() == "python-3.11"
    sources = [
        cell.source for path in RELEASED.glob("*.ipynb") for cell in read_notebook(path).cells
    ]
    sources += [path.read_text() for path in RELEASED.rglob("*.py")]
    names = re.findall(r"^\s*(?:import|from) (\w+)", "\n".join(sources), re.MULTILINE)
    packages = {"sklearn": "scikit-learn", "orbax": "orbax-checkpoint"}
    known = {packages.get(name, name) for name in names}
    assert known & set(ours) <= set(binder) | {"IPython"}


# --- GitHub Classroom ----------------------------------------------------------------------------


def steps() -> dict[str, str]:
    workflow = yaml.safe_load((ROOT / "docs" / "github-classroom" / "validate.yml").read_text())
    (job,) = workflow["jobs"].values()
    return {step["name"]: step["run"] for step in job["steps"] if "run" in step}


@pytest.mark.slow
def test_the_workflow_fails_until_the_answer_is_right(the_course, tmp_path):
    """Its step, run in a student's folder with one exercise."""
    shutil.copytree(RELEASED, tmp_path, dirs_exist_ok=True)
    for path in tmp_path.glob("[1-9]*.ipynb"):
        if path.name != "3-generic-forward.ipynb":
            path.unlink()
    path = tmp_path / "3-generic-forward.ipynb"
    for answers, status in ((False, 1), (True, 0)):
        if answers:  # the model solution, in a student's notebook
            solved = read_notebook(the_course.exercise("3-generic-forward").notebook)
            nbformat.write(restore(solved, solved).notebook, path)
        done = subprocess.run(
            ["bash", "-e", "-c", steps()["Run the notebooks and the visible checks"]],
            cwd=tmp_path,
            env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == status, done.stdout + done.stderr
        assert "13 are hidden and follow" in done.stdout
        assert ("raise NotImplementedError" in done.stdout) == (not answers)
