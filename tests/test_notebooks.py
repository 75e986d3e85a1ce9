"""The instructor's notebooks, run from top to bottom in an ordinary kernel."""

import time

import pytest
from nbclient import NotebookClient
from nbgrader.utils import determine_grade

from jaxercise import grading, submissions
from jaxercise.course import nbgrader_metadata, read_notebook
from jaxercise.workers import default_workers, local

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
    """Each source notebook run in a kernel of its own, with the seconds it took."""
    with local(default_workers()) as executor:
        paths = [exercise.notebook for exercise in the_course.exercises]
        return dict(zip([path.stem for path in paths], executor.map(run_notebook, paths)))


def run_notebook(path):
    notebook, start = read_notebook(path), time.monotonic()
    folder = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, resources=folder, timeout=300).execute()
    return notebook, time.monotonic() - start


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
    kinds = {
        kind for c in notebook.cells for o in c.get("outputs", []) for kind in o.get("data", {})
    }
    assert "image/png" in kinds


def test_no_notebook_takes_a_student_longer_than_a_minute(ran):
    """Hidden checks run here too, and the machine may be busy: three times the limit is a fault."""
    assert {name for name, (_, seconds) in ran.items() if seconds > 180} == set()


def test_a_missing_or_unreadable_notebook_is_zero_with_the_reason(the_course, tmp_path):
    none, broken = the_course.exercises[:2]
    (tmp_path / f"{broken.name}.ipynb").write_text('{"cells": [')
    found = submissions.find(the_course.lessons[0], tmp_path)
    for exercise, words in ((none, "There is no notebook"), (broken, "cannot be read")):
        notebook, notes = grading.prepare(exercise, found[exercise.name])
        assert found[exercise.name].notebook is None and words in notes[0]
        verdict = grading.grade_nothing(exercise, notebook, notes[0]).verdict
        assert verdict.score == 0 and verdict.max_score == 20
        assert all(words in check.message for check in verdict.checks)
