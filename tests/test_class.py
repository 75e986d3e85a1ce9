"""A whole class from release to feedback, as `make grade` does it."""

import ast
import html
import json
import re
import shutil
import subprocess
import sys
import time

import pytest
from bs4 import BeautifulSoup

from jaxercise import gradebook, kept
from jaxercise.course import load_course, read_notebook
from jaxercise.verdict import from_json

pytestmark = pytest.mark.slow


def run(course, *args):
    command = [sys.executable, "-m", "jaxercise", *args]
    return subprocess.run(command, cwd=course.root, capture_output=True, text=True)


@pytest.fixture(scope="module")
def graded_class(the_course, tmp_path_factory):
    """Four sample students released, graded and given feedback once, for all tests here."""
    root = tmp_path_factory.mktemp("course")
    for name in ("source", "tests/checks", "tests/answers"):
        shutil.copytree(the_course.root / name, root / name)
    shutil.copy(the_course.root / "nbgrader_config.py", root)
    course = load_course(root)
    for args in (["release"], ["class", "--students", "4"], ["grade"]):
        done = run(course, *args)
        assert done.returncode == 0, done.stderr
    return course, done


def test_the_table_shows_everyone(graded_class):
    _, done = graded_class
    rows = {}
    for line in done.stdout.splitlines():
        cells = [cell.strip() for cell in re.split("[│┃]", line)[1:-1]]
        if len(cells) == 8 and cells[0]:
            rows[cells[0]] = cells[1:]
    assert rows["ada"][:6] == ["20"] * 5 + ["100"] and rows["ada"][6] == ""
    assert 0 < float(rows["boris"][5]) < 100 and rows["boris"][6]
    assert rows["chiara"][:6] == ["0"] * 6 and "is not answered yet" in rows["chiara"][6]
    assert rows["devi"][:6] == ["20", "20", "0", "0", "0", "40"]
    assert "feedback/STUDENT/intro-to-jax/" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_every_graded_cell_has_a_score_in_the_gradebook(graded_class):
    course, _ = graded_class
    (lesson,) = course.lessons
    with gradebook.open_gradebook(course.root) as book:
        for student in ("ada", "boris", "chiara", "devi"):
            for exercise in lesson.exercises:
                notebook = book.find_submission_notebook(exercise.name, lesson.name, student)
                assert len(notebook.grades) == len(exercise.cells)
                for grade in notebook.grades:
                    assert grade.auto_score is not None and not grade.needs_manual_grade


def texts(value):
    """Every string in what JSON holds."""
    if isinstance(value, str):
        return [value]
    children = value.values() if isinstance(value, dict) else value
    return [t for v in children for t in texts(v)] if isinstance(value, dict | list) else []


def test_nothing_hidden_comes_back_to_students(graded_class):
    """No line of tests/checks, but for titles and messages, which are meant for them."""
    course, _ = graded_class
    notebooks = sorted((course.root / "autograded").rglob("*.ipynb"))
    pages = sorted((course.root / "feedback").rglob("*.html"))
    assert len(notebooks) == len(pages) == 4 * 5
    returned = [text for path in notebooks for text in texts(json.loads(path.read_text()))]
    everything = "\n".join([*returned, *(html.unescape(page.read_text()) for page in pages)])
    assert "HIDDEN TESTS" not in everything and "from jaxercise import grade" not in everything
    released = "\n".join(
        path.read_text()
        for path in (course.root / "release").rglob("*")
        if path.suffix in (".ipynb", ".py")
    )
    looked_for = 0
    for path in (course.root / "tests" / "checks").glob("*.py"):
        source = path.read_text()
        words = [
            node.value
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        for line in {line.strip() for line in source.splitlines() if len(line.strip()) > 30}:
            looked_for += 1
            if line not in released and not any(line in text for text in words):
                assert line not in everything, f"{path.name}: {line}"
    assert looked_for > 500


def test_the_reference_gets_every_check_and_an_untouched_notebook_none(graded_class):
    course, _ = graded_class
    for exercise in course.exercises:
        for student, points in (("ada", 20), ("chiara", 0)):
            place = kept.Place(course.root, "intro-to-jax", student, exercise.name)
            stored = json.loads(place.verdict.read_text())
            verdict = from_json(stored["verdict"])
            assert (verdict.score, verdict.max_score) == (points, 20), (student, verdict)
            assert stored["repairs"] == []
            if not points:
                for check in verdict.checks:
                    assert re.search("is not answered yet|is not defined", check.message), check


def test_a_graded_cell_shows_what_its_checks_found(graded_class):
    course, _ = graded_class
    path = course.root / "autograded" / "chiara" / "intro-to-jax" / "1-dropout-keys.ipynb"
    cell = next(c for c in read_notebook(path).cells if c.id == "dropout-mask")
    shown = cell.outputs[-1].data["text/plain"]
    assert "✗ Elements that survive are divided by 1 - rate (0 of 2.25)" in shown
    assert "`dropout` is not answered yet" in shown


def test_feedback_tells_the_mark_and_the_reason(graded_class):
    course, _ = graded_class
    page = (course.root / "feedback/chiara/intro-to-jax/1-dropout-keys.html").read_text()
    assert "is not answered yet" in page and "Score: 0.0 / 20.0" in page
    page = (course.root / "feedback/ada/intro-to-jax/1-dropout-keys.html").read_text()
    assert "Score: 20.0 / 20.0" in page and "✗" not in page


def test_every_picture_is_described_in_words(graded_class):
    course, _ = graded_class
    shown = 0
    for page in (course.root / "feedback" / "ada").rglob("*.html"):
        for picture in BeautifulSoup(page.read_text(), "html.parser").select("img"):
            assert 20 < len(picture.get("alt", "")) < 120, (page.name, picture.attrs.keys())
            assert "No description" not in picture["alt"]
            shown += 1
    assert shown == 11


def test_no_page_asks_another_server_for_anything(graded_class):
    """It would learn who reads which page; a link that is pressed is another matter."""
    course, _ = graded_class
    for page in (course.root / "feedback").rglob("*.html"):
        html = BeautifulSoup(page.read_text(), "html.parser")
        asked = [tag.get("src") or tag.get("href") for tag in html.select("[src], link[href]")]
        assert not [url for url in asked if not url.startswith("data:")], page.name
        assert "img { max-width: 100%;" in str(html)  # wide pictures stay within the page
        assert "MathJax.js" not in str(html) and "¶" not in html.get_text()


def test_a_second_run_grades_nothing_again_and_keeps_what_a_person_gave(graded_class):
    course, _ = graded_class
    with gradebook.open_gradebook(course.root) as book:
        notebook = book.find_submission_notebook("1-dropout-keys", "intro-to-jax", "chiara")
        notebook.grades[0].manual_score = 3
        comment = book.find_comment("dropout-answer", "1-dropout-keys", "intro-to-jax", "chiara")
        comment.manual_comment = "Come to my office hour."
        book.db.commit()
    start = time.monotonic()
    again = run(course, "grade")
    assert again.returncode == 0, again.stderr
    assert time.monotonic() - start < 60  # grading all thirty again takes several minutes
    assert gradebook.scores(course, course.lessons[0])["chiara"]["1-dropout-keys"] == 3
    page = (course.root / "feedback/chiara/intro-to-jax/1-dropout-keys.html").read_text()
    assert "Come to my office hour." in page


def test_a_sample_class_does_not_mix_with_real_work(graded_class):
    course, _ = graded_class
    done = run(course, "class")
    assert done.returncode == 2 and "is not mixed with real work" in done.stderr
