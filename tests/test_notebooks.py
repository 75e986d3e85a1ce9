"""The instructor's notebooks from top to bottom, graded as plain nbgrader would and as we do."""

import shutil
import time

import pytest
from nbclient import NotebookClient
from nbgrader.utils import determine_grade

from jaxercise import classroom, grading, kept
from jaxercise.course import nbgrader_metadata, read_notebook

pytestmark = pytest.mark.slow

NAMES = [
    "1-dropout-keys",
    "2-per-example-grads",
    "3-generic-forward",
    "4-jit-benchmark",
    "5-gradient-clipping",
]


@pytest.fixture(scope="module")
def ran(the_course):
    """Each source notebook run in an ordinary kernel, with the seconds it took."""
    found = {}
    for exercise in the_course.exercises:
        notebook, start = read_notebook(exercise.notebook), time.monotonic()
        folder = {"metadata": {"path": str(exercise.notebook.parent)}}
        NotebookClient(notebook, resources=folder, timeout=300).execute()
        found[exercise.name] = notebook, time.monotonic() - start
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_source_runs_top_to_bottom_for_full_marks(ran, name):
    """Plain nbgrader reads the marks from the cells' outputs: 20 of 20, and nothing on stderr."""
    notebook, _ = ran[name]
    earned = 0.0
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            assert output.get("name") != "stderr", f"{cell.id} writes to stderr: {output.text}"
        if nbgrader_metadata(cell).get("grade"):
            score, points = determine_grade(cell)
            assert score == points, f"{cell.id}: {score} of {points}"
            last = cell.outputs[-1]
            assert last.output_type == "execute_result"
            assert float(last.data["text/plain"]) == points  # a plain float, not np.float64(...)
            earned += score
    assert earned == 20


@pytest.mark.parametrize("name", NAMES)
def test_every_notebook_shows_a_picture(ran, name):
    notebook, _ = ran[name]
    kinds = {kind for c in notebook.cells for o in c.get("outputs", []) for kind in o.get("data", {})}
    assert "image/png" in kinds


def test_no_notebook_takes_a_student_longer_than_a_minute(ran):
    """Hidden checks run here too, and the machine may be busy: three times the limit is a fault."""
    assert {name for name, (_, seconds) in ran.items() if seconds > 180} == set()


@pytest.fixture(scope="module")
def graded(the_course, tmp_path_factory):
    """Reference and untouched notebooks of every exercise, graded as a class of two."""
    root = tmp_path_factory.mktemp("course")
    for name in ("source", "release", "tests/checks"):
        shutil.copytree(the_course.root / name, root / name)
    shutil.copy(the_course.root / "nbgrader_config.py", root)
    (lesson,) = the_course.lessons
    for student, folder in (("reference", lesson.folder), ("untouched", root / "release" / lesson.name)):
        target = root / "submitted" / student / lesson.name
        target.mkdir(parents=True)
        for exercise in lesson.exercises:
            shutil.copy(folder / exercise.notebook.name, target)
    course = classroom.load_course(root)
    marked = list(classroom.grade_class(course, course.lessons[0], classroom.default_workers()))
    return course, {(m.submission.student, m.submission.exercise): m for m in marked}


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_gets_everything_and_an_untouched_notebook_nothing(graded, name):
    _, marked = graded
    full, nothing = marked["reference", name].verdict, marked["untouched", name].verdict
    assert full.score == full.max_score == 20, [c for c in full.checks if not c.passed]
    assert nothing.score == 0 and nothing.max_score == 20
    for check in nothing.checks:
        assert "is not answered yet" in check.message or "is not defined" in check.message, check
    assert marked["reference", name].repairs == ()


def test_a_graded_cell_shows_what_its_checks_found(graded):
    course, _ = graded
    place = kept.Place(course.root, "intro-to-jax", "untouched", "1-dropout-keys")
    notebook = read_notebook(place.notebook)
    cell = next(c for c in notebook.cells if c.id == "dropout-mask")
    shown = cell.outputs[-1].data["text/plain"]
    assert "✗ Elements that survive are divided by 1 - rate (0 of 1.5)" in shown
    assert "`dropout` is not answered yet" in shown


def test_a_missing_or_unreadable_notebook_is_zero_with_the_reason(the_course, tmp_path):
    exercise = the_course.exercises[0]
    (tmp_path / "broken.ipynb").write_text('{"cells": [')
    for name, words in (("none.ipynb", "There is no notebook"), ("broken.ipynb", "cannot be read")):
        notebook, there, repairs = grading.prepare(exercise, tmp_path / name)
        assert not there and words in repairs[0]
        verdict = grading.grade_nothing(exercise, notebook, repairs[0]).verdict
        assert verdict.score == 0 and verdict.max_score == 20
        assert all(words in check.message for check in verdict.checks)
