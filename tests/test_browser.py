"""In a browser: a student answers an exercise in JupyterLab, an instructor grades in formgrader.

Each step leaves a picture in ``.jaxercise/screenshots``.
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import nbformat
import pytest
from jupyter_lab import jupyter_lab, walk
from playwright.sync_api import FrameLocator, Locator, Page, expect

from jaxercise import gradebook, sample_class
from jaxercise.course import load_course, nbgrader_metadata, read_notebook
from jaxercise.kept import write_whole

pytestmark = [pytest.mark.slow, pytest.mark.browser]

LESSON = "intro-to-jax"
DONE = re.compile(r"^\[\d+\]:$")  # beside a cell that ran
WRONG_LINE = "return x * jax.random.bernoulli(key, 1 - rate, x.shape)"  # nothing is scaled
WRONG_ANSWER = "last_digit_sort.py"
FAILED_CHECK = "Networks of 11 and 12 layers run them by number"
WHY = "only the last digit counted"


@pytest.fixture
def jupyter(tmp_path_factory):
    """Where JupyterLab keeps what is its own, outside of what it shows."""
    return tmp_path_factory.mktemp("jupyter")


@pytest.fixture
def handed_out(the_course, tmp_path):
    """A student's copy of the release."""
    folder = tmp_path / LESSON
    keep_out = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    shutil.copytree(the_course.root / "release" / LESSON, folder, ignore=keep_out)
    return folder


@pytest.fixture
def one_exercise(course_copy):
    """A course of exercise 3 alone, which takes least time to grade."""
    for path in (course_copy.root / "source" / LESSON).glob("*.ipynb"):
        if path.name != "3-generic-forward.ipynb":
            path.unlink()
    return load_course(course_copy.root)


def test_a_student_answers_looks_and_validates(the_course, handed_out, jupyter):
    exercise = the_course.exercise("1-dropout-keys")
    path = handed_out / exercise.notebook.name
    filled = sample_class.with_reference(read_notebook(path), exercise)
    answers = {grade_id(cell): cell.source for cell in filled.cells if grade_id(cell)}
    place = {grade_id(cell): number for number, cell in enumerate(filled.cells)}
    with (
        jupyter_lab(handed_out, jupyter) as address,
        walk("student") as going,
    ):
        page = going.page

        def cell(grade_id: str) -> Locator:
            return page.locator(f'.jp-Cell[data-windowed-list-index="{place[grade_id]}"]')

        page.goto(address)
        page.locator(".jp-DirListing-item", has_text=path.name).dblclick()
        expect(page.get_by_role("heading", name="The contract")).to_be_visible()
        going.picture("reads-the-contract")

        cell("dropout-answer").locator(".cm-line", has_text="raise NotImplementedError").click()
        page.keyboard.press("Home")
        page.keyboard.press("Shift+End")
        page.keyboard.type(WRONG_LINE)
        going.picture("types-a-wrong-answer")
        result = cell("dropout-mask")
        result.locator(".cm-content").click()
        choose(page, "Run", "Run All Above Selected Cell")
        run(result)
        shown = result.locator(".jp-OutputArea-output")
        expect(shown).to_contain_text(re.compile(r"✗ .+\n\s+\S"))
        assert "Traceback" not in shown.inner_text()
        shown.scroll_into_view_if_needed()
        going.picture("sees-why-it-is-wrong")

        write(cell("dropout-answer"), answers["dropout-answer"])
        run(cell("dropout-answer"))
        run(result)
        expect(shown).to_contain_text("visible checks")
        assert "✓" in shown.inner_text() and "✗" not in shown.inner_text()
        going.picture("sees-that-it-is-right")

        write(cell("forward-answer"), answers["forward-answer"])
        write(cell("results-answer"), answers["results-answer"])
        going.picture("has-answered-everything")
        with running(cell("dropout-results")):
            choose(page, "Run", "Run All Cells")
        expect(page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]')).to_be_visible()
        going.picture("has-run-all-cells")

        page.get_by_role("button", name="Validate").click()
        read(page.get_by_role("dialog"), "Success!")
        going.picture("has-validated")
        page.get_by_role("dialog").get_by_role("button", name="Ok").click()

    saved = read_notebook(path)
    assert [cell.source for cell in saved.cells] == [cell.source for cell in filled.cells]
    outputs = [output for cell in saved.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.output_type == "error"]


def test_an_instructor_releases_grades_and_gives_feedback(one_exercise, jupyter):
    (lesson,), (exercise,) = one_exercise.lessons, one_exercise.exercises
    root, name = one_exercise.root, exercise.notebook.name
    with jupyter_lab(root, jupyter) as address, walk("instructor") as going:
        page = going.page
        page.goto(address)
        choose(page, "Nbgrader", "Formgrader")
        formgrader = page.frame_locator('iframe[src*="/formgrader"]')
        expect(formgrader.get_by_role("link", name=LESSON)).to_be_visible()
        going.picture("opens-formgrader")
        formgrader.locator(".assign a").click()
        read(formgrader.locator(".modal.in"), "Successfully created the student version")
        going.picture("has-generated-the-release")
        close(formgrader)

        released = read_notebook(root / "release" / LESSON / name)
        answer = root / "tests" / "answers" / exercise.name / "wrong" / WRONG_ANSWER
        handed_in = sample_class.with_answer(released, exercise, answer.read_text())
        write_whole(root / "submitted" / "ada" / LESSON / name, nbformat.writes(handed_in))
        to_submissions(formgrader)
        expect(formgrader.locator(".status")).to_have_text("needs autograding")
        going.picture("finds-a-submission")
        formgrader.locator(".autograde a").click()
        read(formgrader.locator(".modal.in"), "Successfully autograded")
        going.picture("has-autograded")
        close(formgrader)

        mark = gradebook.scores(one_exercise, lesson)["ada"][exercise.name]
        assert 0 < mark < exercise.points
        expect(formgrader.locator(".score")).to_have_text(f"{mark:g} / {exercise.points:g}")
        going.picture("reads-the-mark")
        formgrader.locator(".student-name a").click()
        formgrader.get_by_role("link", name=exercise.name).click()
        failed = formgrader.get_by_role("row", name=f"✗ {FAILED_CHECK}")
        expect(failed).to_contain_text(WHY)
        failed.scroll_into_view_if_needed()
        going.picture("reads-what-a-check-says")

        formgrader.get_by_role("link", name="Manual Grading").click()
        to_submissions(formgrader)
        formgrader.locator(".generate-feedback a").click()
        read(formgrader.locator(".modal.in"), "Successfully generated feedback")
        going.picture("has-generated-feedback")
        close(formgrader)
        (feedback,) = (root / "feedback" / "ada" / LESSON).glob("*.html")
        tab = page.context.new_page()
        tab.goto(feedback.as_uri())
        expect(tab.get_by_text(f"Score: {mark} / {exercise.points}")).to_be_visible()
        going.picture("opens-the-feedback", tab)
        failed = tab.get_by_role("row", name=f"✗ {FAILED_CHECK}")
        expect(failed).to_contain_text(WHY)
        failed.scroll_into_view_if_needed()
        going.picture("reads-the-feedback", tab)


def grade_id(cell) -> str:
    """The id of an nbgrader cell, or nothing."""
    return nbgrader_metadata(cell).get("grade_id", "")


def choose(page: Page, menu: str, item: str) -> None:
    page.get_by_role("menuitem", name=menu, exact=True).click()
    page.get_by_role("menuitem", name=item, exact=True).click()


def write(cell: Locator, text: str) -> None:
    """Replace all that is in a cell, as pasting does."""
    cell.locator(".cm-content").click()
    cell.page.keyboard.press("Control+A")
    cell.page.keyboard.insert_text(text)


def run(cell: Locator) -> None:
    cell.locator(".cm-content").click()
    with running(cell):
        cell.page.keyboard.press("Control+Enter")


@contextmanager
def running(cell: Locator) -> Iterator[None]:
    """What has a cell run; ends when it has."""
    number = cell.locator(".jp-InputPrompt")
    before = number.inner_text()
    yield
    expect(number).not_to_have_text(before)
    expect(number).to_have_text(DONE)


def read(dialogue: Locator, words: str) -> None:
    """What a dialogue says, once it is there."""
    expect(dialogue).to_be_visible()
    assert words in dialogue.inner_text(), dialogue.inner_text()


def close(formgrader: FrameLocator) -> None:
    """Formgrader's dialogue."""
    formgrader.locator(".modal.in").get_by_role("button", name="OK").click()
    expect(formgrader.locator(".modal")).to_have_count(0)


def to_submissions(formgrader: FrameLocator) -> None:
    """From one of formgrader's lists to what was handed in."""
    formgrader.get_by_role("link", name="Manage Assignments").click()
    formgrader.locator(".num-submissions a").click()
