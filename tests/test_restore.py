"""A submission is rebuilt on the instructor's notebook; only the answers are the student's."""

import random
import time
from copy import deepcopy

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from jaxercise import matching, settings
from jaxercise.course import is_answer, nbgrader_metadata, read_notebook
from jaxercise.definitions import defined_names, parses
from jaxercise.restore import OWN_CELLS, restore, without_hidden
from jaxercise.sample_class import with_reference

ANSWER = "def dropout(key, x, rate): return x"


@pytest.fixture
def instructor(the_course):
    return read_notebook(the_course.exercises[0].notebook)


@pytest.fixture
def released(the_course):
    return read_notebook(the_course.root / "release" / "intro-to-jax" / "1-dropout-keys.ipynb")


@pytest.fixture
def submitted(released):
    cell_of(released, "dropout-answer").source = ANSWER
    return released


@pytest.fixture(scope="module")
def solved(the_course):
    """Every exercise's name, instructor's notebook, and release filled with the solutions."""
    (lesson,) = the_course.lessons
    folder = the_course.root / "release" / lesson.name
    return [
        (
            exercise.name,
            read_notebook(exercise.notebook),
            with_reference(read_notebook(folder / exercise.notebook.name), exercise),
        )
        for exercise in lesson.exercises
    ]


def cell_of(notebook, cell_id):
    return next(cell for cell in notebook.cells if cell.id == cell_id)


def place_of(notebook, cell_id):
    return [cell.id for cell in notebook.cells].index(cell_id)


def sources(notebook):
    return [cell.source for cell in notebook.cells]


def stripped(notebook):
    """A copy without any nbgrader metadata and with other ids, as Colab saves it."""
    copy = deepcopy(notebook)
    for number, cell in enumerate(copy.cells):
        cell.metadata, cell.id = nbformat.from_dict({}), f"colab-{number}"
    return copy


def labelled_copy(notebook, cell_id, source):
    cell = deepcopy(cell_of(notebook, cell_id))
    cell.id, cell.source = f"{cell_id}-copy", source
    return cell


def mended(submitted, instructor):
    """Restore, and assert what must hold of every restored notebook."""
    restored = restore(submitted, instructor)
    notebook = restored.notebook
    nbformat.validate(notebook)
    nbformat.writes(notebook).encode()
    assert notebook.metadata == instructor.metadata
    theirs = {cell.id for cell in instructor.cells}
    kept = [cell for cell in notebook.cells if cell.id in theirs]
    for cell, original in zip(kept, instructor.cells, strict=True):
        assert (cell.id, cell.cell_type) == (original.id, original.cell_type)
        assert cell.metadata == original.metadata
        if nbgrader_metadata(cell).get("grade"):
            assert cell.source == without_hidden(original.source)
    assert all(not cell.get("outputs") for cell in notebook.cells)
    twice = restore(notebook, instructor)
    assert sources(twice.notebook) == sources(notebook)
    return restored


def test_answers_are_the_students_and_checks_the_instructors(submitted, instructor):
    cell_of(submitted, "contract").source = "Anything goes."
    restored = mended(submitted, instructor)
    assert cell_of(restored.notebook, "dropout-answer").source == ANSWER
    assert "The contract" in cell_of(restored.notebook, "contract").source
    assert restored.repairs == ()


def test_no_hidden_region_and_no_solution_is_left(submitted, instructor):
    text = nbformat.writes(restore(submitted, instructor).notebook)
    assert "HIDDEN" not in text and "SOLUTION" not in text and "jaxercise" not in text
    restored = restore(None, instructor)
    text = nbformat.writes(restored.notebook)
    assert "HIDDEN" not in text and "SOLUTION" not in text and "bernoulli(key, keep" not in text
    assert restored.repairs == ()


def test_the_instructors_own_notebook_keeps_its_solutions(solved):
    for _, instructor, _ in solved:
        restored = mended(instructor, instructor)
        assert restored.repairs == ()
        for cell, original in zip(restored.notebook.cells, instructor.cells, strict=True):
            assert not is_answer(cell) or cell.source == original.source


def test_the_stub_is_what_the_course_releases(the_course, solved):
    config = settings.read_config(the_course.root).ClearSolutions
    assert config.code_stub["python"].startswith(matching.STUB)
    assert config.text_stub == matching.TEXT_STUB
    for name, instructor, _ in solved:
        folder = the_course.root / "release" / "intro-to-jax"
        for cell, original in zip(read_notebook(folder / f"{name}.ipynb").cells, instructor.cells):
            same = matching.text_key(matching.stub_of(original))
            assert matching.text_key(cell.source) == same


# Labels and ids


def test_without_labels_and_ids_every_answer_is_recognised_by_what_it_defines(solved):
    for _, instructor, student in solved:
        restored = mended(stripped(student), instructor)
        answers = [cell for cell in instructor.cells if is_answer(cell)]
        assert sources(restored.notebook) == sources(restore(student, instructor).notebook)
        assert restored.repairs == tuple(
            f"the answer cell '{nbgrader_metadata(cell)['grade_id']}' had lost its label and was "
            "recognised by what it defines"
            for cell in answers
        )


def test_without_labels_ids_are_enough(submitted, instructor):
    for cell in submitted.cells:
        cell.metadata = nbformat.from_dict({})
    cell_of(submitted, "forward-answer").source = "y = 1  # defines nothing that is asked for"
    restored = mended(submitted, instructor)
    assert cell_of(restored.notebook, "dropout-answer").source == ANSWER
    assert cell_of(restored.notebook, "forward-answer").source.startswith("y = 1")
    assert restored.repairs == ()


def test_a_label_decides_against_an_id_and_a_definition(submitted, instructor):
    first, second = (cell_of(submitted, f"{name}-answer") for name in ("dropout", "forward"))
    first.id, second.id = second.id, first.id
    second.source = "def dropout(key, x, rate): return 0  # in the other answer's cell"
    restored = mended(submitted, instructor)
    assert cell_of(restored.notebook, "dropout-answer").source == ANSWER
    assert cell_of(restored.notebook, "forward-answer").source == second.source
    assert restored.repairs == ()


def test_a_format_without_ids_is_graded(submitted, instructor):
    submitted.nbformat_minor = 4
    for cell in submitted.cells:
        del cell["id"]
    restored = mended(submitted, instructor)
    assert cell_of(restored.notebook, "dropout-answer").source == ANSWER
    assert restored.repairs == ()


@pytest.mark.parametrize(
    "answer",
    [
        "_dropout = lambda key, x, rate: x\ndropout = jax.jit(_dropout)",
        "class Dropout:\n    def __call__(self, key, x, rate): return x\n\ndropout = Dropout()",
        "%matplotlib inline\n!ls\ndef dropout(key, x, rate):\n    return x",
        "%%time\ndef dropout(key, x, rate):\n    return x",
        "def dropout(key, x, rate):\n    return (x",
        "if True:\n    def dropout(key, x, rate): return x",
        "dropout: object = print",
        "dropout, other = print, print",
        'def dropout(key, x, rate):\n    "\\d"\n    return x',
    ],
)
def test_an_answer_is_recognised_in_whatever_form_it_is_written(released, instructor, answer):
    cell_of(released, "dropout-answer").source = answer
    restored = mended(stripped(released), instructor)
    assert cell_of(restored.notebook, "dropout-answer").source == answer


@pytest.mark.parametrize(
    "other",
    [
        "from theirs import dropout",
        "def outer():\n    def dropout(key, x, rate): return x",
        "dropout.rate = 1",
        "print(dropout == 1)",
        "%%writefile answer.py\ndef dropout(key, x, rate): return x",
        "# dropout = 1",
    ],
)
def test_what_does_not_define_the_answer_stays_the_students_own_cell(released, instructor, other):
    student = stripped(released)
    student.cells[place_of(released, "dropout-answer")].source = other
    restored = mended(student, instructor)
    assert cell_of(restored.notebook, "dropout-answer").source == ""
    assert "the answer cell 'dropout-answer' is missing" in restored.repairs
    assert other in sources(restored.notebook)


def test_names_of_magics_and_broken_source():
    assert defined_names("x = !ls\ny = %timeit -o f()\nf?\n%cd ..\nz = 1") == {"x", "y", "z"}
    assert defined_names("%%bash\nx=1") == set()
    assert defined_names("%%timeit\nx = 1") == set()
    assert defined_names("async def f(:\nclass A\na, b = 1\nc == 2\n  d = 3") == {
        "f",
        "A",
        "a",
        "b",
    }
    assert defined_names("for i in []:\n    a = 1\nwith f() as g:\n    b[0] = c = 2") == {"a", "c"}
    assert defined_names("try:\n    a = 1\nexcept E:\n    b = 2\nfinally:\n    *c, d.e = 3") == {
        *("a", "b", "c")
    }
    assert defined_names("\0def f(): pass") == set() and not parses("\0")
    assert parses('"\\d"') and parses("%time f()") and not parses("return (")
    deep = "x = " + "(" * 5000
    assert defined_names(deep) == {"x"} and not parses(deep)
    assert defined_names("x = " + "-" * 50_000 + "1") <= {"x"}


def test_a_stub_without_its_label_is_an_unanswered_answer(released, instructor):
    restored = mended(stripped(released), instructor)
    assert sources(restored.notebook) == sources(mended(released, instructor).notebook)
    assert len(restored.repairs) == 3
    assert all("is as it was released" in repair for repair in restored.repairs)


def test_an_answer_below_an_untouched_stub_counts_without_labels(released, instructor):
    place = place_of(released, "dropout-answer")
    released.cells.insert(place + 1, new_code_cell(ANSWER))
    restored = mended(stripped(released), instructor)
    assert cell_of(restored.notebook, "dropout-answer").source == ANSWER
    assert len(restored.notebook.cells) == len(instructor.cells)


def test_an_answer_below_its_labelled_stub_stays_below(released, instructor):
    place = place_of(released, "dropout-answer")
    released.cells.insert(place + 1, new_code_cell(ANSWER))
    restored = mended(released, instructor)
    found = sources(restored.notebook)
    assert found[place].endswith('answer.")') and found[place + 1] == ANSWER
    assert restored.repairs == ()


def test_several_answers_in_one_cell_are_not_missing(solved):
    for _, instructor, student in solved:
        answers = [cell for cell in student.cells if is_answer(cell)]
        one = new_code_cell("\n\n".join(cell.source for cell in answers))
        place = place_of(student, answers[0].id)
        rest = [cell for cell in student.cells if cell not in answers]
        notebook = new_notebook(cells=[*rest[:place], one, *rest[place:]])
        restored = mended(stripped(notebook), instructor)
        assert cell_of(restored.notebook, answers[0].id).source == one.source
        assert all(cell_of(restored.notebook, cell.id).source == "" for cell in answers[1:])
        assert len(restored.repairs) == 1 and "lost its label" in restored.repairs[0]


def test_all_answers_at_the_end_stay_below_what_they_use(submitted, instructor):
    kept = [cell for cell in submitted.cells if not is_answer(cell)]
    one = new_code_cell(
        f"{ANSWER}\ndef forward_dropout(*args): pass\naccuracy_without = accuracy_with = start"
    )
    restored = mended(stripped(new_notebook(cells=[*kept, one])), instructor)
    assert cell_of(restored.notebook, "results-answer").source == one.source
    assert cell_of(restored.notebook, "dropout-answer").source == ""
    assert not any("missing" in repair for repair in restored.repairs)


def test_a_cell_that_repeats_another_answer_goes_to_its_own(the_course, solved):
    _, instructor, student = solved[2]
    depths = cell_of(student, "depths-answer")
    depths.source = "deep_accuracy = 0.5  # once more\n" + depths.source
    restored = mended(stripped(student), instructor)
    assert cell_of(restored.notebook, "depths-answer").source == depths.source
    assert "trained_deep" in cell_of(restored.notebook, "deep-answer").source


def test_a_cell_that_repeats_another_answer_goes_to_its_own_also_without_given_cells(instructor):
    both = f"{ANSWER} + 0\ndef forward_dropout(*args): pass"
    notebook = new_notebook(cells=[new_code_cell(ANSWER), new_code_cell(both)])
    restored = mended(notebook, instructor)
    assert cell_of(restored.notebook, "dropout-answer").source == ANSWER
    assert cell_of(restored.notebook, "forward-answer").source == both


def test_a_stub_whose_answer_stands_in_another_cell_is_dropped(released, instructor):
    both = f"{ANSWER}\ndef forward_dropout(*args): pass"
    cell_of(released, "forward-answer").source = both
    restored = mended(stripped(released), instructor)
    assert cell_of(restored.notebook, "dropout-answer").source == ""
    assert cell_of(restored.notebook, "forward-answer").source == both
    assert not any("dropout-answer" in repair for repair in restored.repairs)


def test_a_split_result_without_labels_runs_in_its_order(submitted, instructor):
    place = place_of(submitted, "results-answer")
    parts = ["def loss_with(*a): pass", "accuracy_without = 0.9", "accuracy_with = 0.9"]
    submitted.cells[place : place + 1] = map(new_code_cell, parts)
    restored = mended(stripped(submitted), instructor)
    assert sources(restored.notebook)[place : place + 3] == parts
    assert restored.notebook.cells[place + 2].id == "results-answer"


def test_a_notebook_of_nothing_is_an_unanswered_one(instructor):
    for nothing in (new_notebook(), new_notebook(cells=[new_code_cell("print(1)")])):
        restored = mended(nothing, instructor)
        assert restored.repairs == (
            "no answer cell could be recognised in this notebook",
            "all test cells had been deleted and were put back",
        )


def test_an_answer_with_a_changed_label_is_found_by_id_or_definition(submitted, instructor):
    for cell_id in ("dropout-answer", "dropout-mask"):
        nbgrader_metadata(cell_of(submitted, cell_id))["grade_id"] += "-2"
    by_id = mended(submitted, instructor)
    assert cell_of(by_id.notebook, "dropout-answer").source == ANSWER
    assert by_id.repairs == ()
    cell_of(submitted, "dropout-answer").id = "else"
    by_name = mended(submitted, instructor)
    assert cell_of(by_name.notebook, "dropout-answer").source == ANSWER
    assert "had lost its label" in by_name.repairs[0] and len(by_name.repairs) == 1


def test_cells_of_another_assignment_are_dropped_and_reported(submitted, solved, instructor):
    _, _, other = solved[1]
    pasted = [deepcopy(cell_of(other, "grads-answer")), deepcopy(cell_of(other, "norms-answer"))]
    pasted.append(labelled_copy(submitted, "dropout-answer", "def dropout(*args): pass"))
    nbgrader_metadata(pasted[2])["grade_id"] = "a\n" * 100
    restored = mended(new_notebook(cells=[*submitted.cells, *pasted]), instructor)
    assert sources(restored.notebook) == sources(restore(submitted, instructor).notebook)
    (repair,) = restored.repairs
    assert "labels of another notebook were ignored: 'grads-answer', 'norms-answer'" in repair
    assert "\n" not in repair and len(repair) < 200


# Copies, splits, deletions, changed types


def test_deleted_cells_come_back(submitted, instructor):
    gone = ("dropout-mask", "forward-answer", "title")
    submitted.cells = [cell for cell in submitted.cells if cell.id not in gone]
    restored = mended(submitted, instructor)
    assert [c.id for c in restored.notebook.cells] == [c.id for c in instructor.cells]
    assert cell_of(restored.notebook, "forward-answer").source == ""
    assert restored.repairs == (
        "the answer cell 'forward-answer' is missing",
        "the test cell 'dropout-mask' had been deleted and was put back",
    )


def test_all_copies_of_an_answer_run_in_their_order(submitted, instructor):
    first = submitted.cells.pop(place_of(submitted, "dropout-answer"))
    parts = ["half = 0.5", "def dropout(key, x, rate): return x * half", "def other(): pass"]
    copies = [labelled_copy(new_notebook(cells=[first]), first.id, part) for part in parts]
    submitted.cells += [copies[0], first, copies[1], copies[2]]
    place = place_of(instructor, "dropout-answer")
    restored = mended(submitted, instructor)
    assert sources(restored.notebook)[place : place + 4] == [parts[0], ANSWER, *parts[1:]]
    assert restored.notebook.cells[place + 3].id == "dropout-answer"
    assert "'dropout-answer' is there 4 times" in restored.repairs[0]


def test_equal_copies_and_stubs_beside_an_answer_count_once(released, instructor):
    stub = cell_of(released, "dropout-answer").source
    place = place_of(released, "dropout-answer")
    for copies in ([ANSWER, stub], [stub, ANSWER], [ANSWER, ANSWER + "  \n"], ["", ANSWER, stub]):
        student = deepcopy(released)
        cells = [labelled_copy(released, "dropout-answer", source) for source in copies]
        student.cells[place : place + 1] = cells
        restored = mended(student, instructor)
        assert cell_of(restored.notebook, "dropout-answer").source.rstrip() == ANSWER
        assert len(restored.notebook.cells) == len(instructor.cells)
        assert "one of them counts" in restored.repairs[0]


def test_two_stubs_are_one(released, instructor):
    stub = cell_of(released, "dropout-answer").source
    released.cells.append(labelled_copy(released, "dropout-answer", stub))
    restored = mended(released, instructor)
    assert cell_of(restored.notebook, "dropout-answer").source == stub


def test_of_a_repeated_copy_the_last_counts(submitted, instructor):
    other = "def dropout(key, x, rate): return 2 * x"
    for source in (other, ANSWER):
        submitted.cells.append(labelled_copy(submitted, "dropout-answer", source))
    restored = mended(submitted, instructor)
    place = place_of(restored.notebook, "dropout-answer")
    assert sources(restored.notebook)[place - 1 : place + 1] == [other, ANSWER]


def test_an_answer_split_in_the_middle_is_put_together(released, instructor):
    halves = ["def dropout(key, x, rate):", "    return x"]
    place = place_of(released, "dropout-answer")
    cells = [labelled_copy(released, "dropout-answer", half) for half in halves]
    released.cells[place : place + 1] = cells
    restored = mended(released, instructor)
    assert cell_of(restored.notebook, "dropout-answer").source == "\n".join(halves)
    assert any("put together" in repair for repair in restored.repairs)
    cells[1].source = "    return (x"  # never whole: both run as they are
    broken = mended(released, instructor)
    assert sources(broken.notebook)[place : place + 2] == [halves[0], "    return (x"]


def test_own_cells_between_two_copies_stay_between_them(submitted, instructor):
    place = place_of(submitted, "dropout-answer")
    last = labelled_copy(submitted, "dropout-answer", "dropout = improve(dropout)")
    submitted.cells[place + 1 : place + 1] = [new_code_cell("def improve(f): return f"), last]
    restored = mended(submitted, instructor)
    expected = [ANSWER, "def improve(f): return f", last.source]
    assert sources(restored.notebook)[place : place + 3] == expected


def test_copies_of_a_test_cell_are_ignored_and_reported(submitted, instructor):
    submitted.cells.append(labelled_copy(submitted, "dropout-mask", "assert True"))
    restored = mended(submitted, instructor)
    assert "assert True" not in sources(restored.notebook)
    assert restored.repairs == (
        "the test cell 'dropout-mask' is there twice; the instructor's counts",
    )


def test_changed_test_cells_are_reported(submitted, instructor):
    cell_of(submitted, "dropout-mask").source = "assert True"
    cell_of(submitted, "dropout-keys").cell_type = "markdown"
    cell_of(submitted, "dropout-purity").source += "   \n\n"  # no change that matters
    restored = mended(submitted, instructor)
    assert restored.repairs == (
        "the test cell 'dropout-mask' had been changed; the instructor's counts",
        "the test cell 'dropout-keys' had been changed; the instructor's counts",
    )


def test_metadata_of_students_is_not_trusted(submitted, instructor):
    for cell in submitted.cells:
        if meta := nbgrader_metadata(cell):
            meta.update(points=100, grade=False, locked=False, schema_version=99, solution=False)
            meta["something_new"] = {"of": ["any", "kind"]}
    del nbgrader_metadata(cell_of(submitted, "dropout-keys"))["schema_version"]
    restored = mended(submitted, instructor)
    assert cell_of(restored.notebook, "dropout-answer").source == ANSWER
    assert restored.repairs == ()


def test_an_answer_turned_to_text_counts_if_it_is_code(submitted, instructor):
    for cell_id, kind in (("dropout-answer", "markdown"), ("forward-answer", "raw")):
        cell_of(submitted, cell_id).cell_type = kind
    cell_of(submitted, "forward-answer").source = "I did not get this one."
    restored = mended(submitted, instructor)
    assert cell_of(restored.notebook, "dropout-answer").source == ANSWER
    assert cell_of(restored.notebook, "forward-answer").source == ""
    why = "the answer cell 'forward-answer' is no code cell and holds no code"
    assert restored.repairs == (why,)
    submitted.cells.append(new_code_cell("def forward_dropout(*args): pass"))
    restored = mended(submitted, instructor)
    assert cell_of(restored.notebook, "forward-answer").source.startswith("def forward_dropout")


# Own cells


def test_own_cells_keep_their_place_and_edited_imports_stay(submitted, instructor):
    place = place_of(submitted, "dropout-answer")
    submitted.cells.insert(place, new_code_cell("half = 0.5", id="mine"))
    submitted.cells += [new_markdown_cell("My notes", id="notes"), new_raw_cell("raw", id="raw")]
    submitted.cells[-2].attachments = {"a.png": {"image/png": "aaaa"}}
    submitted.cells[-2].metadata = {"x": 1}
    submitted.cells.append(new_code_cell(" \n"))
    cell_of(submitted, "imports").source += "\nimport optax"
    cell_of(submitted, "reflection").source = "I think so."
    restored = mended(submitted, instructor)
    cells, found = restored.notebook.cells, sources(restored.notebook)
    assert cells[found.index("half = 0.5") + 1].id == "dropout-answer"
    assert found[-2:] == ["My notes", "raw"]
    assert (cells[-2].cell_type, cells[-1].cell_type) == ("markdown", "raw")
    assert "attachments" not in cells[-2] and cells[-2].metadata == {}
    assert any(source.endswith("import optax") for source in found)
    assert "I think so." in found
    assert restored.repairs == ()


def test_reordered_cells_come_in_the_instructors_order(submitted, instructor):
    own = new_code_cell("mine = 1", id="mine")
    submitted.cells.insert(place_of(submitted, "results-answer"), own)
    submitted.cells.reverse()  # now the cell that follows it is the prose above the answer
    restored = mended(submitted, instructor)
    ids = [cell.id for cell in restored.notebook.cells if not cell.id.startswith("student-")]
    assert ids == [cell.id for cell in instructor.cells]
    place = sources(restored.notebook).index("mine = 1")
    assert restored.notebook.cells[place + 1].id == "results-hints"
    assert restored.repairs == ()


def test_given_cells_without_labels_and_ids_are_not_kept_twice(submitted, instructor):
    student = stripped(submitted)
    student.cells += stripped(submitted).cells
    restored = mended(student, instructor)
    assert len(restored.notebook.cells) == len(instructor.cells)
    imports = student.cells[place_of(submitted, "imports")]
    imports.source += "\nimport optax"  # without an id, an edited cell is an own one
    restored = mended(student, instructor)
    assert imports.source in sources(restored.notebook)
    assert len(restored.notebook.cells) == len(instructor.cells) + 1


def test_of_cells_with_one_id_the_first_is_the_given_one_and_others_are_own(submitted, instructor):
    cells = [deepcopy(cell_of(submitted, "imports")) for _ in range(3)]
    del cells[0]["id"]
    cells[1].source, cells[2].source = "import jax", "import optax"
    place = place_of(submitted, "imports")
    submitted.cells[place : place + 1] = cells
    restored = mended(submitted, instructor)
    assert cell_of(restored.notebook, "imports").source == "import jax"
    assert sources(restored.notebook)[place + 1] == "import optax"


def test_code_in_a_prose_cell_is_kept(submitted, instructor):
    cell = cell_of(submitted, "dropout-text")
    cell.cell_type, cell.source = "code", "helper = 1"
    restored = mended(submitted, instructor)
    assert "helper = 1" in sources(restored.notebook)


def test_too_many_cells_are_cut_in_good_time(submitted, instructor):
    submitted.cells += [new_code_cell(f"x = {i}", id=f"own-{i}") for i in range(3000)]
    started = time.monotonic()
    restored = restore(submitted, instructor)
    assert time.monotonic() - started < 3  # 0.1 s measured
    assert len(restored.notebook.cells) == len(instructor.cells) + OWN_CELLS
    assert restored.repairs == ("the notebook has too many cells; 2500 added cells were dropped",)
    mended(restored.notebook, instructor)


# Malformed notebooks


@pytest.mark.parametrize(
    "broken",
    [
        {"nbgrader": "text"},
        {"nbgrader": ["list"]},
        {"nbgrader": None},
        {"nbgrader": {"grade_id": 7}},
        {"nbgrader": {"grade_id": ["dropout-answer"]}},
        {"nbgrader": {"grade_id": {}}},
        {"nbgrader": {}},
        "text",
        ["list"],
        None,
        {"tags": 3},
    ],
)
def test_malformed_metadata_is_no_metadata(submitted, instructor, broken):
    for cell in submitted.cells:
        cell["metadata"] = broken
    restored = mended(submitted, instructor)
    assert cell_of(restored.notebook, "dropout-answer").source == ANSWER
    submitted.cells.append(nbformat.from_dict({"cell_type": "code", "source": "a = 1"}))
    submitted.cells[-1]["metadata"] = broken
    assert "a = 1" in sources(mended(submitted, instructor).notebook)


@pytest.mark.parametrize(
    "cell",
    [
        {},
        {"cell_type": "code"},
        {"cell_type": 3, "source": {"a": 1}},
        {"cell_type": "code", "source": 5, "id": 5, "metadata": 5},
        {"cell_type": "code", "source": ["a = 1\n", 3, None, "b = 2"], "id": ["x"]},
        {"cell_type": "heading", "source": "Title", "id": "a b ü \ud800"},
        {"cell_type": "code", "source": "text = '\ud800 \ud83d\ude00'", "id": ""},
        {"cell_type": "code", "source": "a = 1", "metadata": {"nbgrader": {"grade_id": "\udfff"}}},
        "no cell",
        None,
    ],
)
def test_malformed_cells_do_no_harm(submitted, instructor, cell):
    submitted.cells[3:3] = [cell, cell]
    restored = mended(submitted, instructor)
    assert cell_of(restored.notebook, "dropout-answer").source == ANSWER


@pytest.mark.parametrize("cells", [None, 3, "text", {"a": 1}, [[1]], [None]])
def test_malformed_notebooks_are_unanswered(instructor, cells):
    restored = mended(nbformat.from_dict({"cells": cells}), instructor)
    assert "no answer cell could be recognised in this notebook" in restored.repairs
    mended(nbformat.from_dict({}), instructor)


def test_halves_of_characters_become_writable(submitted, instructor):
    cell_of(submitted, "dropout-answer").source = f"# \ud800 ü \U0001f600 \udc00\n{ANSWER}"
    restored = mended(submitted, instructor)
    expected = f"# \ufffd ü \U0001f600 \ufffd\n{ANSWER}"
    assert cell_of(restored.notebook, "dropout-answer").source == expected


def test_restoring_twice_changes_nothing_whatever_was_done(solved):
    for seed in range(40):
        rng = random.Random(seed)
        _, instructor, student = solved[seed % len(solved)]
        student = deepcopy(student)
        for _ in range(12):
            cell = deepcopy(rng.choice(student.cells))
            place = rng.randrange(len(student.cells))
            kind = rng.randrange(7)
            if kind == 0:
                student.cells.insert(place, cell)
            elif kind == 1:
                del student.cells[place]
            elif kind == 2:
                student.cells[place].metadata = nbformat.from_dict({})
            elif kind == 3:
                student.cells[place]["id"] = f"new-{place}"
            elif kind == 4:
                cell.source += "\nmore = 1"
                student.cells.insert(place, cell)
            elif kind == 5:
                student.cells[place]["cell_type"] = rng.choice(["code", "markdown", "raw"])
            else:
                rng.shuffle(student.cells)
        mended(student, instructor)
