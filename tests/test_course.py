"""The course as a whole: points, names, and every demand of a check said to the student."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from jaxercise import grading
from jaxercise.course import is_answer, load_course, read_notebook
from jaxercise.proof.stored import read_answers
from jaxercise.settings import CourseError, find_root

ANSWERS = Path(__file__).parent / "answers"
CONTRACT = tomllib.loads((Path(__file__).parent / "contract.toml").read_text())


def test_five_exercises_of_twenty_points(the_course):
    assert [e.name for e in the_course.exercises] == [
        "1-dropout-keys",
        "2-per-example-grads",
        "3-generic-forward",
        "4-jit-benchmark",
        "5-gradient-clipping",
    ]
    assert [e.points for e in the_course.exercises] == [20] * 5


def test_an_exercise_is_found_by_its_name_with_or_without_the_number(the_course):
    assert the_course.exercise("dropout-keys") is the_course.exercise("1-dropout-keys")
    with pytest.raises(CourseError, match="1-dropout-keys, 2-per-example-grads"):
        the_course.exercise("droput")


def test_a_cell_belongs_to_one_exercise(the_course):
    ids = [cell.grade_id for e in the_course.exercises for cell in e.cells]
    assert len(ids) == len(set(ids))
    assert the_course.exercise_of_cell(ids[0]).name == "1-dropout-keys"
    with pytest.raises(CourseError, match="no-such-cell"):
        the_course.exercise_of_cell("no-such-cell")


def test_the_course_is_found_from_a_folder_inside_it(tmp_path, the_course):
    assert find_root(the_course.root / "source" / "intro-to-jax") == the_course.root
    (tmp_path / "source" / "lesson").mkdir(parents=True)
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()")
    assert find_root(tmp_path / "source") == tmp_path
    assert load_course(tmp_path).exercises == ()


def squeeze(text: str) -> str:
    """Text without line breaks and emphasis, as a reader takes it in."""
    return re.sub(r"\s+", " ", text.replace("*", ""))


@pytest.mark.parametrize("name", CONTRACT)
def test_the_notebook_says_what_each_check_demands(the_course, name):
    """tests/contract.toml quotes, for each check, the words that tell the student."""
    exercise = the_course.exercise(name)
    cells = read_notebook(exercise.notebook).cells
    prose = squeeze("\n".join(c.source for c in cells if c.cell_type == "markdown"))
    stubs = squeeze("\n".join(c.source.split("### BEGIN")[0] for c in cells if is_answer(c)))
    checks = {check.id for check in grading.due_checks(exercise).checks}
    assert checks == set(CONTRACT[name]), "tests/contract.toml and the checks have drifted apart"
    for check, words in CONTRACT[name].items():
        for quote in [words] if isinstance(words, str) else words:
            assert squeeze(quote) in prose + stubs, f"{check}: the notebook does not say {quote!r}"


def test_no_given_cell_takes_the_name_of_a_helper(the_course):
    """A cell below the answers that assigns `mask` would take a student's function of that name
    away. The names that the stored right answers use stand for those that students use."""
    for exercise in the_course.exercises:
        cells = [c for c in read_notebook(exercise.notebook).cells if c.cell_type == "code"]
        first = next(i for i, cell in enumerate(cells) if is_answer(cell))
        given = [cell.source for cell in cells[first:] if not is_answer(cell)]
        taken = set().union(*(bound_by(source) for source in given))
        for answer in read_answers(ANSWERS / exercise.name):
            if answer.right and not answer.results:
                clashes = bound_by(answer.path.read_text()) & taken
                assert not clashes, f"{exercise.name}: {answer.name} has a {clashes}"


def bound_by(source: str) -> set[str]:
    """Names that code binds at its top level, in loops and conditions too."""
    found: set[str] = set()
    parts: list[ast.AST] = [*ast.parse(source).body]
    for node in parts:  # grows meanwhile
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif not isinstance(node, ast.Lambda | ast.ListComp | ast.DictComp | ast.GeneratorExp):
            parts += ast.iter_child_nodes(node)
    return found


def test_every_exercise_has_its_contract(the_course):
    assert set(CONTRACT) == {exercise.name for exercise in the_course.exercises}


def test_checks_speak_to_students(the_course):
    """Titles are sentences, ids are names, nothing shows the inside of the grader."""
    for exercise in the_course.exercises:
        for check in grading.due_checks(exercise).checks:
            assert 15 < len(check.title) < 120, check.title
            assert re.fullmatch(r"[a-z0-9-]+", check.id)
            assert not check.title.endswith(".")
