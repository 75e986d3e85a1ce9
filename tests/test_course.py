"""The course as a whole: points, names, and every demand of a check said to the student."""

import re
import tomllib
from pathlib import Path

import pytest

from jaxercise import grading
from jaxercise.course import CourseError, find_root, is_answer, load_course, read_notebook

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


def test_every_exercise_has_its_contract(the_course):
    assert set(CONTRACT) == {exercise.name for exercise in the_course.exercises}


def test_checks_speak_to_students(the_course):
    """Titles are sentences, ids are names, nothing shows the inside of the grader."""
    for exercise in the_course.exercises:
        for check in grading.due_checks(exercise).checks:
            assert 15 < len(check.title) < 120, check.title
            assert re.fullmatch(r"[a-z0-9-]+", check.id)
            assert not check.title.endswith(".")
