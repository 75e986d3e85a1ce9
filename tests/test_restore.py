"""A submission is rebuilt on the instructor's notebook; only the answers are the student's."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from jaxercise.course import nbgrader_metadata, read_notebook
from jaxercise.restore import restore, without_hidden


@pytest.fixture
def instructor(the_course):
    return read_notebook(the_course.exercises[0].notebook)


@pytest.fixture
def submitted(the_course):
    folder = the_course.root / "release" / "intro-to-jax"
    notebook = read_notebook(folder / "1-dropout-keys.ipynb")
    cell_of(notebook, "dropout-answer").source = "def dropout(key, x, rate): return x"
    return notebook


def cell_of(notebook, cell_id):
    return next(cell for cell in notebook.cells if cell.id == cell_id)


def test_answers_are_the_students_and_checks_the_instructors(submitted, instructor):
    cell_of(submitted, "dropout-mask").source = "assert True"
    cell_of(submitted, "contract").source = "Anything goes."
    restored = restore(submitted, instructor)
    assert cell_of(restored.notebook, "dropout-answer").source.endswith("return x")
    expected = without_hidden(cell_of(instructor, "dropout-mask").source)
    assert cell_of(restored.notebook, "dropout-mask").source == expected
    assert "The contract" in cell_of(restored.notebook, "contract").source
    assert restored.repairs == ()


def test_no_hidden_region_and_no_solution_is_left(submitted, instructor):
    text = nbformat.writes(restore(submitted, instructor).notebook)
    assert "HIDDEN" not in text and "SOLUTION" not in text and "jaxercise" not in text
    text = nbformat.writes(restore(None, instructor).notebook)
    assert "HIDDEN" not in text and "SOLUTION" not in text and "bernoulli(key, keep" not in text


def test_deleted_cells_come_back(submitted, instructor):
    gone = ("dropout-mask", "forward-answer", "title")
    submitted.cells = [cell for cell in submitted.cells if cell.id not in gone]
    restored = restore(submitted, instructor)
    assert [c.id for c in restored.notebook.cells] == [c.id for c in instructor.cells]
    assert cell_of(restored.notebook, "forward-answer").source == ""
    assert restored.repairs == ("the answer cell 'forward-answer' is missing",)


def test_of_two_copies_the_last_counts(submitted, instructor):
    copy = new_code_cell("def dropout(key, x, rate): return 2 * x", id="copy")
    copy.metadata = cell_of(submitted, "dropout-answer").metadata
    submitted.cells.append(copy)
    restored = restore(submitted, instructor)
    assert cell_of(restored.notebook, "dropout-answer").source.endswith("return 2 * x")
    assert "'dropout-answer' is there twice" in restored.repairs[0]


def test_own_cells_keep_their_place_and_edited_imports_stay(submitted, instructor):
    place = next(i for i, c in enumerate(submitted.cells) if c.id == "dropout-answer")
    submitted.cells.insert(place, new_code_cell("half = 0.5", id="mine"))
    submitted.cells.append(new_markdown_cell("My notes", id="notes"))
    cell_of(submitted, "imports").source += "\nimport optax"
    cell_of(submitted, "reflection").source = "I think so."
    cells = restore(submitted, instructor).notebook.cells
    sources = [cell.source for cell in cells]
    at = sources.index("half = 0.5")
    assert cells[at + 1].id == "dropout-answer"
    assert sources[-1] == "My notes"
    assert any(source.endswith("import optax") for source in sources)
    assert "I think so." in sources


def test_metadata_of_students_is_not_trusted(submitted, instructor):
    for cell in submitted.cells:
        if meta := nbgrader_metadata(cell):
            meta.update(points=100, grade=False, locked=False, schema_version=99, solution=False)
    cell_of(submitted, "dropout-mask").cell_type = "markdown"
    restored = restore(submitted, instructor).notebook
    for cell, original in zip(restored.cells, instructor.cells):
        assert cell.metadata == original.metadata
        assert cell.cell_type == original.cell_type


def test_restoring_twice_changes_nothing(submitted, instructor):
    submitted.cells.insert(3, new_code_cell("half = 0.5", id="mine"))
    once = restore(submitted, instructor).notebook
    twice = restore(once, instructor).notebook
    assert [c.source for c in twice.cells] == [c.source for c in once.cells]


def test_a_notebook_of_nothing_is_an_unanswered_one(instructor):
    restored = restore(new_notebook(), instructor)
    assert len(restored.repairs) == 3
