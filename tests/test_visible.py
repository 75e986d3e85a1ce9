"""The checks that students see: in notebooks, in a terminal, and before they hand in.

A right answer passes them all, however it is written; what is said is short, and a student's words.
"""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode
from test_course import squeeze

from jaxercise import grading, validation, visible
from jaxercise.course import is_answer, nbgrader_metadata, read_notebook
from jaxercise.proof.stored import read_answers

ROOT = Path(__file__).parents[1]
ANSWERS = ROOT / "tests" / "answers"
LESSON = ROOT / "source" / "intro-to-jax"
EXERCISES = sorted(path.name for path in ANSWERS.iterdir() if path.is_dir())
CHEAP = "3-generic-forward"


@pytest.fixture(scope="module")
def listed():
    return visible.exercises(LESSON)


@pytest.fixture(scope="module")
def checks():
    """All visible checks as data, by exercise: cell, title, and the words to read."""
    source = (
        "import json; from visible_checks import exercises; print(json.dumps({e.name: "
        "[[c.cell, c.title, c.read] for c in e.checks] for e in exercises()}))"
    )
    return json.loads(run([sys.executable, "-c", source], LESSON).stdout)


def run(command: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess:
    """A command of a student, who has the lesson's folder and no course."""
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        timeout=900,
    )


# --- the checks and the notebooks ----------------------------------------------------------------


@pytest.mark.parametrize("name", EXERCISES)
def test_the_package_knows_the_cells_of_the_notebook(the_course, listed, name):
    exercise = the_course.exercise(name)
    cells = [c for c in read_notebook(exercise.notebook).cells if c.cell_type == "code"]
    answers = [nbgrader_metadata(cell)["grade_id"] for cell in cells if is_answer(cell)]
    assert listed[name].answers == answers
    assert listed[name].graded == [cell.grade_id for cell in exercise.cells]
    assert listed[name].hidden == len(grading.due_checks(exercise).checks)


@pytest.mark.parametrize("name", EXERCISES)
def test_a_graded_cell_asks_for_its_own_checks(the_course, name):
    for cell in read_notebook(the_course.exercise(name).notebook).cells:
        if nbgrader_metadata(cell).get("grade"):
            grade_id = nbgrader_metadata(cell)["grade_id"]
            assert f'\nvisible_checks.run("{grade_id}")\n' in cell.source
            assert f'\ngrade("{grade_id}")\n' in cell.source


@pytest.mark.parametrize("name", EXERCISES)
def test_where_to_read_is_in_the_contract(the_course, checks, name):
    cells = read_notebook(the_course.exercise(name).notebook).cells
    contract = squeeze(next(cell.source for cell in cells if cell.get("id") == "contract"))
    for _, title, read in checks[name]:
        assert squeeze(read) in contract, f"{title}: the contract does not say {read!r}"
        assert 15 < len(title) < 100 and not title.endswith(".")


# --- answers -------------------------------------------------------------------------------------


def seen(exercise: str, files: list[Path]) -> dict[str, list[dict]]:
    """What the visible checks say of files of answers, by the file's name; two halves at once."""
    halves = [half for half in (files[::2], files[1::2]) if half]
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda half: seen_by_one(exercise, half), halves))
    return {name: rows for half in found for name, rows in half.items()}


def seen_by_one(exercise: str, files: list[Path]) -> dict[str, list[dict]]:
    """The same by one process."""
    command = [sys.executable, "-m", "visible_checks", "--json", exercise, *map(str, files)]
    done = run(command, LESSON)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"file"')]
    assert len(lines) == len(files), done.stderr
    assert done.returncode == (1 if any(r["message"] for s in lines for r in s["visible"]) else 0)
    return {Path(said["file"]).name: said["visible"] for said in lines}


def right(exercise: str) -> list[Path]:
    answers = read_answers(ANSWERS / exercise)
    return [answer.path for answer in answers if answer.right and not answer.results]


def assert_all_pass(exercise: str, files: list[Path]) -> None:
    for name, rows in seen(exercise, files).items():
        failed = [f"{row['title']}: {row['message']}" for row in rows if row["message"]]
        assert not failed, f"{name} is right, and is told {failed}"


@pytest.mark.slow
@pytest.mark.parametrize("exercise", EXERCISES)
def test_right_answers_pass(exercise):
    assert_all_pass(exercise, right(exercise)[::24])


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("exercise", EXERCISES)
def test_all_right_answers_pass(exercise):
    assert_all_pass(exercise, right(exercise))


# For each exercise wrong answers that many students give, and a check that must say so.
TOLD = {
    "1-dropout-keys": {
        "no_scaling.py": "yours lie between 1.000 and 1.000",
        "one_mask_for_the_batch.py": "Rows 0 and 1 lost the same elements",
        "train_ignored.py": "not the logits of `forward(params, x)`",
        "stub.py": "`dropout` still holds `raise NotImplementedError`",
    },
    "2-per-example-grads": {
        "batch_gradient.py": "'w' of layer1 should have shape (32, 784, 256)",
        "no_square_root.py": "Each should be 0.9487",
        "divided_by_batch.py": "Compare sizes and signs",
    },
    "3-generic-forward": {
        "counts_from_zero.py": "KeyError: 'layer0'. The line is `x = x @ params[f\"layer{i}\"]",
        "relu_after_the_last.py": "the result is not x @ w",
        "names_as_strings.py": "It stopped with TypeError: dot_general requires",
        "empty.py": "`mlp_forward` is not defined yet",
    },
    "4-jit-benchmark": {
        "total_not_mean.py": "would take longer than the whole call took",
        "milliseconds.py": "would take longer than the whole call took",
        "steps_not_waited_for.py": "wait for each result before you stop the clock",
        "speedup_upside_down.py": "your two means give",
        "syntax_error.py": "The file cannot be run. It stopped with SyntaxError",
    },
    "5-gradient-clipping": {
        "clip_after_adam.py": "after clipping they are equal",
        "always_normalises.py": "other updates than without a limit",
        "swapped_return.py": "`params` come first",
        "sgd_instead_of_adam.py": "Adam's first update has the size of the learning rate",
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("exercise", EXERCISES)
def test_wrong_answers_are_told_what_was_seen(exercise):
    files = [ANSWERS / exercise / "wrong" / name for name in TOLD[exercise]]
    for name, rows in seen(exercise, files).items():
        said = " ".join(" ".join(row["message"].split()) for row in rows)
        assert TOLD[exercise][name] in said, f"{name}: {said}"
        assert "visible_checks" not in said and "Traceback" not in said


@pytest.mark.slow
@pytest.mark.parametrize(
    "exercise, wrong, reference",
    [
        ("2-per-example-grads", ["removes_from_params"], "per_example_grads"),
        (
            "5-gradient-clipping",
            ["donates_the_callers_params", "empties_the_list_of_batches", "writes_into_the_dict"],
            "gradient_clipping",
        ),
    ],
)
def test_what_a_wrong_answer_spoils_is_not_there_for_the_next(exercise, wrong, reference):
    """Students mend an answer and run the cell again, in the same kernel."""
    files = [ANSWERS / exercise / "wrong" / f"{name}.py" for name in wrong]
    said = seen_by_one(exercise, [*files, ROOT / "reference" / f"{reference}.py"])
    *before, mended = said.values()
    assert not [row for row in mended if row["message"]]
    assert any(row["message"] for rows in before for row in rows)


# --- in a notebook -------------------------------------------------------------------------------


def handed_out(folder: Path, answer: str, exercise: str = CHEAP) -> Path:
    """A student's copy of a released lesson, with an answer in the first answer cell, and without
    the cells of results, which train networks."""
    shutil.copytree(ROOT / "release" / "intro-to-jax", folder, dirs_exist_ok=True)
    path = folder / f"{exercise}.ipynb"
    notebook = read_notebook(path)
    answers = [cell for cell in notebook.cells if is_answer(cell)]
    answers[0].source = answer
    nbformat.write(notebook, path)
    return path


def graded_cells(notebook) -> dict:
    cells = [cell for cell in notebook.cells if nbgrader_metadata(cell).get("grade")]
    return {nbgrader_metadata(cell)["grade_id"]: cell for cell in cells}


@pytest.mark.slow
def test_a_notebook_shows_the_words_alone(tmp_path):
    path = handed_out(tmp_path, (ANSWERS / CHEAP / "wrong" / "relu_after_the_last.py").read_text())
    notebook = read_notebook(path)
    resources = {"metadata": {"path": str(tmp_path)}}
    options = {"timeout": 600, "startup_timeout": 600, "allow_errors": True}
    NotebookClient(notebook, resources=resources, **options).execute()
    cells = graded_cells(notebook)
    (failed,) = cells["generic-layers"].outputs
    assert failed.output_type == "error" and failed.ename == "NotYet"
    assert failed.traceback[0].startswith("✓ ")
    assert "✗ A single layer is `x @ w + b`, without a ReLU" in failed.traceback
    assert failed.traceback[-2].startswith("■□")
    assert len(failed.traceback) < 15
    (passed,) = cells["generic-order"].outputs
    assert passed.output_type == "stream" and passed.name == "stdout"
    assert "✗" not in passed.text and "visible checks of this notebook pass" in passed.text


@pytest.mark.slow
def test_validate_says_how_many_were_run_and_what_is_missing(tmp_path):
    path = handed_out(tmp_path, (ROOT / "reference" / "generic_forward.py").read_text())
    notebook = read_notebook(path)
    cells = graded_cells(notebook)
    cells["generic-layers"].source += "\n# a remark"
    notebook.cells.remove(cells["generic-relu"])
    notebook.cells.append(NotebookNode({**cells["generic-pure"], "id": "again"}))
    nbformat.write(notebook, path)
    before = path.read_bytes()
    found = validation.validate(path)
    assert path.read_bytes() == before
    assert len(found.checks) == found.due.visible == 10 and found.passed == 8 and not found.fine
    assert next(c["title"] for c in found.checks if c["message"]).startswith("`deep_accuracy`")
    (missing,) = found.missing
    assert "'generic-relu' is missing" in missing
    told = " ".join(found.remarks)
    assert "'generic-layers', was changed" in told and "'generic-pure' is there 2 times" in told
    text = validation.as_text(path, found)
    assert text.startswith(f"{path}: ran 10 of 23 checks, 8 pass.")


@pytest.mark.slow
def test_nbgraders_validate_notices_that_a_graded_cell_is_missing(tmp_path):
    path = handed_out(tmp_path, (ROOT / "reference" / "generic_forward.py").read_text())
    notebook = read_notebook(path)
    keep = ("imports", "forward-answer", "generic-layers", "generic-order")
    notebook.cells = [cell for cell in notebook.cells if cell.get("id") in keep]
    nbformat.write(notebook, path)
    nbgrader = str(Path(sys.executable).with_name("nbgrader"))
    said = run([nbgrader, "validate", path.name], tmp_path).stdout
    assert "✗ The graded cell 'generic-relu' is there" in said
    assert "✓ The order of the dict means nothing" in said
    assert "Traceback" not in said


def test_while_a_class_is_graded_nothing_is_looked_at():
    source = "import sys, visible_checks as v; v.run('dropout-mask'); print('jax' in sys.modules)"
    done = run([sys.executable, "-c", source], LESSON, NBGRADER_EXECUTION="autograde")
    assert done.stdout.strip() == "False" and not done.stderr


# --- in a terminal, without a course -------------------------------------------------------------


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """What a student has: the released folder, and the package without a course around it."""
    folder = tmp_path_factory.mktemp("student")
    shutil.copytree(ROOT / "jaxercise", folder / "installed" / "jaxercise")
    handed_out(folder / "lesson", (ROOT / "reference" / "generic_forward.py").read_text())
    return folder


def jaxercise(copy: Path, *arguments: str) -> subprocess.CompletedProcess:
    """The command as a student has it."""
    installed = str(copy / "installed")
    command = [sys.executable, "-P", "-m", "jaxercise", *arguments]
    return run(command, copy / "lesson", PYTHONPATH=installed)


@pytest.mark.slow
def test_a_students_copy_runs_the_visible_checks_and_says_how_many_are_hidden(copy):
    right = shutil.copy(ROOT / "reference" / "generic_forward.py", copy / "lesson" / "mine.py")
    done = jaxercise(copy, "check", CHEAP, Path(right).name)
    assert done.returncode == 0, done.stderr
    assert "mine.py: 8 of 8 visible checks pass" in done.stdout
    assert "13 hidden checks were not run" in done.stdout
    wrong = shutil.copy(ANSWERS / CHEAP / "wrong" / "tanh.py", copy / "lesson" / "wrong.py")
    done = jaxercise(copy, "check", "generic-forward", "--json", "mine.py", Path(wrong).name)
    assert done.returncode == 1
    mine, other = map(json.loads, done.stdout.splitlines())
    assert mine["hidden_not_run"] == other["hidden_not_run"] == 13
    assert not any(row["message"] for row in mine["visible"])
    assert [r["cell"] for r in other["visible"] if r["message"]] == [
        "generic-layers",
        "generic-relu",
    ]


def test_what_is_not_there_is_said_plainly(copy, tmp_path):
    done = jaxercise(copy, "check", CHEAP, "nothing.py")
    assert done.returncode == 2 and "nothing.py is not a file" in done.stderr
    done = jaxercise(copy, "check", "nothing", "visible_checks/looking.py")
    assert done.returncode == 2 and "1-dropout-keys" in done.stderr
    (tmp_path / "other.ipynb").write_text("{")
    done = jaxercise(copy, "validate", str(tmp_path / "other.ipynb"))
    assert done.returncode == 2 and "cannot be read as a notebook" in done.stderr
    done = jaxercise(copy, "validate", "0-lesson.ipynb")
    assert done.returncode == 2 and "holds no cell of an exercise" in done.stderr
    done = jaxercise(copy, "release")
    assert done.returncode == 2 and "No course here" in done.stderr
