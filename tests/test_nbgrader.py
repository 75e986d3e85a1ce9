"""nbgrader by hand: its own commands work on the course, with our plugins and without them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jaxercise import gradebook, sample_class
from jaxercise.course import load_course, read_notebook
from jaxercise.kept import write_whole

pytestmark = pytest.mark.slow

LESSON = "intro-to-jax"


def nbgrader(root, *args):
    """Run an nbgrader command as an instructor would, in the course's environment."""
    bin_folder = str(Path(sys.executable).parent)
    return subprocess.run(
        [sys.executable, "-m", "nbgrader", *args],
        cwd=root,
        env={**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def by_hand(the_course, tmp_path_factory):
    """A course of exercise 3 alone, released with nbgrader's own command and answered."""
    root = tmp_path_factory.mktemp("course")
    for name in ("source", "tests/checks"):
        shutil.copytree(the_course.root / name, root / name)
    for path in (root / "source" / LESSON).glob("*.ipynb"):
        if path.name != "3-generic-forward.ipynb":
            path.unlink()
    shutil.copy(the_course.root / "nbgrader_config.py", root)
    done = nbgrader(root, "generate_assignment", LESSON)
    assert done.returncode == 0, done.stderr
    course = load_course(root)
    (exercise,) = course.exercises
    released = read_notebook(root / "release" / LESSON / exercise.notebook.name)
    wrong = (
        "def mlp_forward(params, x):\n    return x @ params['layer1']['w'] + params['layer1']['b']"
    )
    work = {
        "ada": sample_class.with_reference(released, exercise),
        "chiara": sample_class.with_answer(released, exercise, wrong),
    }
    for student, notebook in work.items():
        path = root / "submitted" / student / LESSON / exercise.notebook.name
        write_whole(path, sample_class.nbformat.writes(notebook))
    return course


def test_release_by_nbgrader_is_the_release_we_keep(by_hand, the_course):
    name = "3-generic-forward.ipynb"
    ours = the_course.root / "release" / LESSON / name
    assert (by_hand.root / "release" / LESSON / name).read_bytes() == ours.read_bytes()


def test_validate_passes_the_reference(by_hand):
    path = by_hand.root / "source" / LESSON / "3-generic-forward.ipynb"
    done = nbgrader(path.parent, "validate", path.name)
    assert "Success! Your notebook passes all the tests." in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("plugged_in", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
def test_autograde_and_feedback_by_hand(by_hand, plugged_in):
    """With our preprocessors, and in nbgrader's own way: the reference gets full marks."""
    config = by_hand.root / "nbgrader_config.py"
    text = config.read_text()
    if not plugged_in:
        kept_lines = text[: text.index("c.Autograde.exporter_class")]
        config.write_text(kept_lines)
    try:
        done = nbgrader(by_hand.root, "autograde", LESSON, "--force")
        assert done.returncode == 0, done.stderr
        done = nbgrader(by_hand.root, "generate_feedback", LESSON, "--force")
        assert done.returncode == 0, done.stderr
    finally:
        config.write_text(text)
    marks = gradebook.scores(by_hand, by_hand.lessons[0])
    assert marks["ada"]["3-generic-forward"] == 20
    assert marks["chiara"]["3-generic-forward"] < 12
    page = (by_hand.root / "feedback" / "chiara" / LESSON / "3-generic-forward.html").read_text()
    assert ("✗" in page) if plugged_in else ("AssertionError" in page or "✗" in page)


BUTTON = """
from pathlib import Path
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from jaxercise.settings import read_config

config = read_config(Path.cwd())
coursedir = CourseDirectory(config=config)
done = NbGraderAPI(coursedir, config=config).autograde("intro-to-jax", "chiara", force=True)
assert done["success"], done["log"] + done["error"]
assert coursedir.submitted_directory == "submitted"
"""


def test_formgraders_button_goes_the_same_way(by_hand):
    """Formgrader's server calls this; it grades one student and changes nothing of the server's."""
    done = subprocess.run(
        [sys.executable, "-c", BUTTON], cwd=by_hand.root, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    notebook = read_notebook(
        by_hand.root / "autograded" / "chiara" / LESSON / "3-generic-forward.ipynb"
    )
    shown = [
        o.get("data", {}).get("text/plain", "")
        for c in notebook.cells
        for o in c.get("outputs", [])
    ]
    assert any("✗ With three layers it gives the logits" in text for text in shown)
