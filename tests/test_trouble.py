"""Submissions as they really arrive, graded as an instructor does it: every mark and message.

One class holds a student for each kind of trouble (``trouble``) and five honest ones. One of a
troubled student's two exercises is broken and the other is right.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
import tiny
import trouble
import trouble.folders
import trouble.notebooks
import trouble.running
import trouble.tricks
from tiny import CELLS, LESSON, LOSS, SCALE

from jaxercise import gradebook, kept, sample_class
from jaxercise.classroom import CRASHED
from jaxercise.course import Course, load_course, read_notebook
from jaxercise.judging import CHECK_IS_AT_FAULT
from jaxercise.verdict import Verdict, from_json

pytestmark = pytest.mark.slow

KINDS = list(trouble.KINDS.values())
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader calls alembic
LONG_S = 400  # by then a run that should have ended by itself has not


def run(course: Course, *command: str, **environment: str) -> subprocess.CompletedProcess:
    """Run ``python -m`` something in the course, as an instructor would."""
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=course.root,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent), "PATH": PATH} | environment,
        capture_output=True,
        text=True,
        timeout=LONG_S,
    )


def watched(report: Path) -> list[str]:
    """``jaxercise grade``, with a report on what it leaves running: see ``trouble.watch``."""
    return ["trouble.watch", str(report), sys.executable, "-m", "jaxercise", "grade"]


def new_course(root: Path) -> tuple[Course, trouble.Notebooks, trouble.Notebooks]:
    """A released course, with the notebooks as released and answered rightly."""
    course = tiny.build(root)
    done = run(course, "jaxercise", "release")
    assert done.returncode == 0, done.stderr
    folder = root / "release" / LESSON
    released = {e.name: read_notebook(folder / e.notebook.name) for e in course.exercises}
    solved = {e.name: sample_class.with_reference(released[e.name], e) for e in course.exercises}
    return course, released, solved


def submission(course: Course, student: str) -> Path:
    folder = course.root / "submitted" / student / LESSON
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def contents(folder: Path) -> dict[str, bytes | str]:
    """Every file with its content, and every link with where it leads."""
    return {
        str(path.relative_to(folder)): str(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_symlink() or not path.is_dir()
    }


@dataclass(frozen=True)
class Graded:
    """A class after ``jaxercise grade``.

    Attributes:
        submitted: what it was before.
        left: processes that were still there afterwards.
        scratch: the folder for temporary files.
    """

    course: Course
    released: trouble.Notebooks
    solved: trouble.Notebooks
    submitted: dict[str, bytes | str]
    done: subprocess.CompletedProcess
    left: list[str]
    scratch: Path

    def verdict(self, student: str, exercise: str) -> Verdict:
        return verdict_of(self.course, student, exercise)

    def notes(self, student: str) -> str:
        begins = (f"note: {student}, ", f"note: {student}: ")
        return "\n".join(line for line in self.done.stdout.splitlines() if line.startswith(begins))

    def page(self, student: str, exercise: str) -> str:
        return (self.course.root / "feedback" / student / LESSON / f"{exercise}.html").read_text()

    def returned(self, student: str, exercise: str) -> nbformat.NotebookNode:
        folder = self.course.root / "autograded" / student / LESSON
        return read_notebook(folder / f"{exercise}.ipynb")


def verdict_of(course: Course, student: str, exercise: str) -> Verdict:
    place = kept.Place(course.root, LESSON, student, exercise)
    return from_json(json.loads(place.verdict.read_text())["verdict"])


def marks(course: Course) -> dict[str, dict[str, float]]:
    """Points in the gradebook by student and graded cell."""
    with gradebook.open_gradebook(course.root) as book:
        return {
            handed_in.student.id: {
                grade.name: grade.score for nb in handed_in.notebooks for grade in nb.grades
            }
            for handed_in in book.assignment_submissions(LESSON)
        }


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The whole class, graded once for all tests here."""
    root, scratch = tmp_path_factory.mktemp("trouble"), tmp_path_factory.mktemp("scratch")
    course, released, solved = new_course(root)
    for student, (notebooks, _) in trouble.honest(released, solved).items():
        trouble.hand_in(notebooks, submission(course, student))
    for kind in KINDS:
        kind.write(deepcopy(solved), submission(course, kind.student))
    before = contents(root / "submitted")
    shutil.copy(root / "gradebook.db", root / "released.db")
    report = tmp_path_factory.mktemp("report") / "left.json"
    done = run(course, *watched(report), TMPDIR=str(scratch))
    left = json.loads(report.read_text())["left"]
    return Graded(course, released, solved, before, done, left, scratch)


# The class as a whole


def test_the_run_ends_well_and_leaves_nothing_behind(graded):
    assert graded.done.returncode == 0, graded.done.stderr
    assert "Traceback" not in graded.done.stdout + graded.done.stderr
    assert graded.left == []
    assert list(graded.scratch.iterdir()) == []
    assert contents(graded.course.root / "submitted") == graded.submitted


def test_everyone_has_a_mark_and_nobody_too_many(graded):
    honest = trouble.honest(graded.released, graded.solved)
    assert set(marks(graded.course)) == {*honest, *trouble.KINDS}
    for student in marks(graded.course):
        for exercise in (SCALE, LOSS):
            messages = [c.message for c in graded.verdict(student, exercise).checks if not c.passed]
            for message in messages:
                assert message not in ("", CRASHED, CHECK_IS_AT_FAULT), (student, message)
                assert "Traceback" not in message


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.student)
def test_marks_and_messages(graded, kind):
    assert marks(graded.course)[kind.student] == kind.marks
    checks = [c for name in (SCALE, LOSS) for c in graded.verdict(kind.student, name).checks]
    said = "\n".join(check.message for check in checks if not check.passed)
    assert [words for words in kind.says if words not in said] == [], said
    notes = graded.notes(kind.student)
    assert [words for words in kind.notes if words not in notes] == [], notes
    assert bool(notes) == bool(kind.notes), notes
    shown = "".join(nbformat.writes(graded.returned(kind.student, e)) for e in (SCALE, LOSS))
    assert [words for words in kind.shows if words not in shown] == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.student)
def test_notebooks_and_pages_that_come_back(graded, kind):
    for exercise in (SCALE, LOSS):
        notebook = graded.returned(kind.student, exercise)
        nbformat.validate(notebook)
        assert len(nbformat.writes(notebook)) < 2 * 2**20
        page = graded.page(kind.student, exercise)
        verdict = graded.verdict(kind.student, exercise)
        assert f"(Score: {float(verdict.score)} / {verdict.max_score})" in page
        assert page.count("✓") >= sum(check.passed for check in verdict.checks)
        assert "HIDDEN TESTS" not in page + str(notebook) and "from jaxercise" not in page
        for check in verdict.checks:
            if not check.passed:
                shown = "".join(str(cell.get("outputs")) for cell in notebook.cells)
                assert check.message in shown.replace("\\'", "'") and "✗" in page


def test_pages_hold_nothing_hidden(graded):
    pages = [
        path.read_text()
        for folder in ("autograded", "feedback")
        for path in (graded.course.root / folder).rglob("*")
        if path.suffix in (".ipynb", ".html") and path.is_file()
    ]
    assert len(pages) >= 4 * len(marks(graded.course))
    everything = "\n".join(pages)
    for path in (graded.course.root / "tests" / "checks").glob("*.py"):
        for line in path.read_text().splitlines():
            if line.startswith(("    assert", "    found", "def ", "X =", "Y =", "ERROR =")):
                assert line.strip() not in everything, line


class Page(HTMLParser):
    """Collects what a browser would run, and what it would show."""

    def __init__(self, page: str):
        super().__init__()
        self.scripts: list[str] = []
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.handlers: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("src", "href", "srcdoc", "action", "formaction", "data"):
                self.addresses.append((value or "").strip())
            if name.startswith("on"):
                self.handlers.append(f"{name}={value}")

    def handle_data(self, data):
        if self.tags and self.tags[-1] == "script":
            self.scripts.append(data)

    def handle_endtag(self, tag):
        self.tags.append(f"/{tag}")


def test_script_is_taken_out_of_pages_and_the_harmless_stays(graded):
    page = graded.page("script in cells and outputs", SCALE)
    found, usual = Page(page), Page(graded.page(trouble.RIGHT, SCALE))
    assert found.scripts == usual.scripts and found.handlers == usual.handlers
    for tag in ("script", "iframe", "form", "button", "svg", "object", "embed", "link", "meta"):
        assert found.tags.count(tag) == usual.tags.count(tag), tag
    assert not any(address.lower().startswith("javascript") for address in found.addresses)
    assert "Harmless heading" in page and "<strong>bold words</strong>" in page
    assert "<b>harmless table</b>" in page and "<code>own</code>" in page
    picture = f"data:image/png;base64,{trouble.tricks.PICTURE}"
    assert [address.replace("\n", "") for address in found.addresses].count(picture) == 2


def test_honest_students_get_what_they_would_get_alone(graded, alone):
    for student, (_, points) in trouble.honest(graded.released, graded.solved).items():
        assert marks(graded.course)[student] == marks(alone.course)[student] == points
        for exercise in (SCALE, LOSS):
            assert graded.verdict(student, exercise) == verdict_of(alone.course, student, exercise)
        assert graded.notes(student) == ""


@dataclass(frozen=True)
class Alone:
    """A course of the honest students only, graded by a run after others that were stopped.

    Attributes:
        left: what each stopped run left running.
        kept: when each verdict that the first stopped run kept was written.
    """

    course: Course
    left: list[list[str]]
    kept: dict[Path, int]


@pytest.fixture(scope="module")
def alone(graded, tmp_path_factory):
    """Killed once while it grades, as by a power cut."""
    return with_stops(graded, tmp_path_factory, 1)


def with_stops(graded: Graded, tmp_path_factory, number_of_stops: int) -> Alone:
    """Killed while it grades; then, if asked for, by Ctrl-C, and killed while it writes down."""
    course = honest_course(graded, tmp_path_factory.mktemp("alone") / "course, 2025 é")
    report = tmp_path_factory.mktemp("report") / "left.json"
    verdicts = course.root / ".jaxercise" / "verdicts"

    def has_kept(number: int) -> Callable[[], bool]:
        return lambda: len(list(verdicts.rglob("*.json"))) >= number

    left = [stopped(course, report, has_kept(2), signal.SIGKILL)]
    kept_first = {path: path.stat().st_mtime_ns for path in verdicts.rglob("*.json")}
    if number_of_stops > 1:
        left.append(stopped(course, report, has_kept(len(kept_first) + 2), signal.SIGINT))
        assert len(list(verdicts.rglob("*.json"))) < 10
        autograded = course.root / "autograded"
        left.append(stopped(course, report, autograded.exists, signal.SIGKILL))
    done = run(course, "jaxercise", "grade")
    assert done.returncode == 0, done.stderr
    return Alone(course, left, kept_first)


def stopped(course: Course, report: Path, when: Callable[[], bool], number: int) -> list[str]:
    """Start ``jaxercise grade``, send it a signal in the middle; returns what it left running."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent), "PATH": PATH}
    report.unlink(missing_ok=True)
    with subprocess.Popen(
        [sys.executable, "-m", *watched(report)],
        cwd=course.root,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        deadline = time.monotonic() + LONG_S
        while not when():
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        if number == signal.SIGINT:  # a terminal sends it to all
            os.killpg(process.pid, number)
        else:
            os.kill(json.loads(report.read_text())["pid"], number)
        assert process.wait(timeout=30) != 0
    return json.loads(report.read_text())["left"]


def honest_course(graded: Graded, root: Path) -> Course:
    """A course of the honest students only, released."""
    keep_out = shutil.ignore_patterns(".jaxercise", "autograded", "feedback", "submitted", "*.db")
    shutil.copytree(graded.course.root, root, ignore=keep_out)
    shutil.copy(graded.course.root / "released.db", root / "gradebook.db")
    for student in trouble.honest(graded.released, graded.solved):
        name = Path("submitted", student)
        shutil.copytree(graded.course.root / name, root / name)
    return load_course(root)


# Grading again

LATE = """
from nbgrader.plugins import BasePlugin


class PointAnHour(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return total_seconds_late / 3600
"""
PLUGGED = """
import sys
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))
c.AssignLatePenalties.plugin_class = "late.PointAnHour"
"""
CELL_MISSING = "total-answer"


@dataclass(frozen=True)
class Again:
    """The honest course, graded again after much has changed.

    Attributes:
        before: points by student and graded cell, the first time.
        kept: when each kept verdict was written, by student and exercise, the first time.
    """

    course: Course
    before: dict[str, dict[str, float]]
    kept: dict[tuple[str, str], int]


def kept_at(course: Course) -> dict[tuple[str, str], int]:
    return {
        (student, exercise): place.verdict.stat().st_mtime_ns
        for student in marks(course)
        for exercise in (SCALE, LOSS)
        for place in [kept.Place(course.root, LESSON, student, exercise)]
    }


@pytest.fixture(scope="module")
def again(alone, graded, tmp_path_factory):
    """A check corrected, a worse resubmission, a mark given by hand, and two late submissions."""
    root = tmp_path_factory.mktemp("again") / "course"
    shutil.copytree(alone.course.root, root, symlinks=True)
    course = load_course(root)
    before = Again(course, marks(course), kept_at(course))
    checks = root / "tests" / "checks" / "test_loss.py"
    checks.write_text(checks.read_text().replace("np.mean(ERROR**2))", "np.mean(ERROR**2) + 1)"))
    worse = deepcopy(graded.solved[SCALE])
    del worse.cells[trouble.at(worse, CELL_MISSING)]
    trouble.hand_in({SCALE: worse}, submission(course, trouble.UNUSUAL))
    with gradebook.open_gradebook(root) as book:
        notebook = book.find_submission_notebook(SCALE, LESSON, trouble.HALF)
        grade = next(grade for grade in notebook.grades if grade.name == "scale-noise")
        grade.manual_score, grade.extra_credit = 1.5, 0.25
        comment = book.find_comment("noise-answer", SCALE, LESSON, trouble.HALF)
        comment.manual_comment = "You were nearly there."
        book.db.commit()
    (root / "late.py").write_text(LATE)
    config = root / "nbgrader_config.py"
    config.write_text(config.read_text() + PLUGGED)
    due(course, datetime(2030, 5, 1, 12))
    for student, hour in ((trouble.RIGHT, 14), (trouble.UNTOUCHED, 15), (trouble.HALF, 11)):
        when = f"2030-05-01 {hour}:00:00 UTC\n"
        (submission(course, student) / "timestamp.txt").write_text(when)
    done = run(course, "jaxercise", "grade")
    assert done.returncode == 0, done.stderr
    return before


def due(course: Course, when: datetime) -> None:
    with gradebook.open_gradebook(course.root) as book:
        book.update_or_create_assignment(LESSON, duedate=when)


def penalties(course: Course, student: str) -> list[float | None]:
    with gradebook.open_gradebook(course.root) as book:
        notebooks = book.find_submission(LESSON, student).notebooks
        return [nb.late_submission_penalty for nb in sorted(notebooks, key=lambda nb: nb.name)]


def test_a_corrected_check_regrades_its_exercise_only(again):
    """All loss by one more than the check wanted; now the check wants it."""
    now = marks(again.course)
    for student, points in again.before.items():
        corrected = {0: 0, 2: 5, 5: 2}[points["loss-values"]]
        assert now[student]["loss-values"] == corrected, student
    renewed = {key for key, at in kept_at(again.course).items() if again.kept[key] != at}
    everyone = {(student, LOSS) for student in now}
    assert renewed == everyone | {(trouble.UNUSUAL, SCALE)}


def test_a_worse_resubmission_lowers_the_mark(again):
    assert again.before[trouble.UNUSUAL]["scale-total"] == 3
    assert marks(again.course)[trouble.UNUSUAL] == CELLS | {"scale-total": 0, "loss-values": 2}


def test_marks_and_comments_given_by_hand_stay(again):
    assert again.before[trouble.HALF]["scale-noise"] == 0
    assert marks(again.course)[trouble.HALF]["scale-noise"] == 1.75
    folder = again.course.root / "feedback" / trouble.HALF / LESSON
    assert "You were nearly there." in (folder / f"{SCALE}.html").read_text()


def test_late_penalties_follow_the_due_date_and_the_time_of_submission(again):
    course = again.course
    assert penalties(course, trouble.RIGHT) == [2, 2]
    assert penalties(course, trouble.UNTOUCHED) == [0, 0]  # no more than was earned
    assert penalties(course, trouble.HALF) == [None, None]
    assert gradebook.scores(course, course.lessons[0])[trouble.RIGHT] == {SCALE: 8, LOSS: 0}
    page = (course.root / "feedback" / trouble.RIGHT / LESSON / f"{SCALE}.html").read_text()
    assert "(Score: 8.0 / 10.0)" in page
    due(course, datetime(2030, 5, 1, 13))
    earlier = submission(course, trouble.HALF) / "timestamp.txt"
    earlier.write_text("2030-05-01 13:30:00 UTC\n")
    at = kept_at(course)
    done = run(course, "nbgrader", "autograde", LESSON, "--force")
    assert done.returncode == 0, done.stderr
    assert penalties(course, trouble.RIGHT) == [1, 1]
    assert penalties(course, trouble.HALF) == [0.5, 0.5]
    assert kept_at(course) == at  # nothing ran again for it


def test_a_run_that_was_stopped_goes_on_where_it_was(graded, alone):
    """The marks are those of a run that nobody disturbs: see the honest students above."""
    assert_went_on(graded, alone, 1)


@pytest.mark.exhaustive
def test_a_run_that_was_stopped_in_other_ways_does_too(graded, tmp_path_factory):
    again = with_stops(graded, tmp_path_factory, 3)
    assert_went_on(graded, again, 3)
    for student in trouble.honest(graded.released, graded.solved):
        assert marks(graded.course)[student] == marks(again.course)[student]


def assert_went_on(graded: Graded, alone: Alone, number_of_stops: int) -> None:
    assert alone.left == [[]] * number_of_stops
    assert {path: path.stat().st_mtime_ns for path in alone.kept} == alone.kept
    root = alone.course.root
    students = set(trouble.honest(graded.released, graded.solved))
    for folder in ("autograded", "feedback"):
        theirs = contents(graded.course.root / folder)
        theirs = {name for name in theirs if name.partition("/")[0] in students}
        assert contents(root / folder).keys() == theirs
    assert list(root.rglob("*.half")) == []


# By nbgrader's own commands

GRADED_ANEW = ("cell split in two", "all in a subfolder", "one notebook missing", trouble.UNUSUAL)


@pytest.fixture(scope="module")
def by_hand(graded, tmp_path_factory):
    """The whole class through ``nbgrader autograde``; verdicts are kept but for a few students."""
    root = tmp_path_factory.mktemp("by-hand") / "course"
    keep_out = shutil.ignore_patterns("autograded", "feedback", "staged", "gradebook.db")
    shutil.copytree(graded.course.root, root, symlinks=True, ignore=keep_out)
    (root / "released.db").rename(root / "gradebook.db")
    for student in GRADED_ANEW:
        shutil.rmtree(root / ".jaxercise" / "verdicts" / student)
    course = load_course(root)
    return course, run(course, "nbgrader", "autograde", LESSON, "--force")


def test_nbgrader_autograde_gives_everyone_the_same_marks(graded, by_hand):
    course, done = by_hand
    assert done.returncode == 0, done.stderr[-3000:]
    assert marks(course) == marks(graded.course)
    for student in GRADED_ANEW:
        for exercise in (SCALE, LOSS):
            assert verdict_of(course, student, exercise) == graded.verdict(student, exercise)
    assert contents(course.root / "submitted") == graded.submitted


def test_nbgrader_autograde_says_what_was_mended_and_whom_to_doubt(graded, by_hand):
    _, done = by_hand
    for kind in KINDS:
        for note in kind.notes:
            assert note in done.stderr, (kind.student, note)


@pytest.mark.parametrize("student", [trouble.UNUSUAL, "all in a subfolder"])
def test_nbgrader_cannot_be_asked_for_these_alone(by_hand, student):
    """It takes a name for a pattern, and wants a notebook right in the student's folder."""
    course, _ = by_hand
    before = marks(course)
    done = run(course, "nbgrader", "autograde", LESSON, f"--student={student}", "--force")
    assert done.returncode != 0
    assert "No notebooks were matched by" in done.stderr
    assert marks(course) == before


def test_nbgrader_generate_feedback_passes_over_names_that_read_as_patterns(by_hand):
    course, _ = by_hand
    command = ("nbgrader", "generate_feedback", LESSON, "--force")
    done = run(course, *command, f"--student={trouble.UNUSUAL}")
    assert done.returncode != 0 and "No notebooks were matched by" in done.stderr
    done = run(course, *command, f"--student={trouble.RIGHT}")
    assert done.returncode == 0, done.stderr
    assert list((course.root / "feedback").iterdir()) == [course.root / "feedback" / trouble.RIGHT]


# What must not leave the instructor's machine


def test_a_release_with_a_misspelt_marker_or_an_extra_file_is_refused(tmp_path):
    course = tiny.build(tmp_path)
    path = course.exercises[1].notebook
    path.write_text(path.read_text().replace("BEGIN HIDDEN TESTS", "BEGIN HIDEN TESTS"))
    (path.parent / "solutions.txt").write_text("2 * x")
    done = run(course, "jaxercise", "release")
    assert done.returncode == 1 and not (tmp_path / "release").exists()
    assert "is no marker that we know: '### BEGIN HIDEN TESTS'" in done.stderr
    assert "solutions.txt: not in c.Jaxercise.public_files" in done.stderr
