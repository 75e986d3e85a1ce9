"""nbgrader's exchange for real: an instructor and two students, each a user of the system with a
home of their own, from release to feedback and a second submission.

A user logs in through bubblewrap, which gives them a name, a home and nothing of ours but the
Python environment. Run by root, each is a Unix user of their own, and the exchange's permissions
hold; otherwise all share the user who runs the tests, and only the names differ.
"""

import os
import shutil
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest

from jaxercise import classroom, gradebook, sample_class, sandbox
from jaxercise.course import load_course, read_notebook

pytestmark = pytest.mark.slow

LESSON, EXERCISE = "intro-to-jax", "3-generic-forward"
GRACE, ADA, CHIARA = "grace", "ada", "chiara"  # teaches; is right; is wrong, then right
STUDENTS = (ADA, CHIARA)
USERS = {GRACE: 42_001, ADA: 42_002, CHIARA: 42_003}  # of no system's users
IS_ROOT = os.getuid() == 0
SITE = Path("/srv")  # where users see the machine
WRONG = "def mlp_forward(params, x):\n    return x @ params['layer1']['w'] + params['layer1']['b']"
HINT = "the layers at the end did not run"
LONG_S = 600  # a command takes three seconds, or ten where it grades

EVERYBODYS_CONFIG = f"""
c.CourseDirectory.course_id = "jaxercise"
c.Exchange.root = "{SITE}/exchange"
"""


def log_in(machine: Path, user: str) -> list[str]:
    """The command that runs another as this user, who sees ``machine`` as SITE."""
    number, folders = str(USERS[user]), sandbox.environment_folders()
    command = ["bwrap", "--die-with-parent", "--dev-bind", "/", "/"]
    # root's Python may stand where others cannot reach it; nobody needs the rest of those folders
    for top in sorted({Path("/", f.parts[1]) for f in folders} - {Path("/usr"), Path("/tmp")}):
        command += ["--tmpfs", str(top)]
    command += ["--perms", "1777", "--tmpfs", "/tmp", "--bind", str(machine), str(SITE)]
    command += ["--ro-bind", str(machine / "passwd"), "/etc/passwd"]
    command += sandbox._bound(folders)
    if not IS_ROOT:
        command += ["--unshare-user", "--uid", number, "--gid", number]
    command += ["--chdir", str(SITE / "home" / user), "--"]
    if IS_ROOT:
        command += ["setpriv", f"--reuid={number}", f"--regid={number}", "--clear-groups", "--"]
    return command


def attempt(machine: Path, user: str, *command: str) -> subprocess.CompletedProcess:
    """Run a command as a user, in their home."""
    home = SITE / "home" / user
    bin_folder = Path(sys.executable).parent
    return subprocess.run(
        [*log_in(machine, user), *command],
        env={
            "HOME": str(home),
            "USER": user,
            "LOGNAME": user,
            "LANG": "C.UTF-8",
            "PATH": f"{bin_folder}:/usr/bin:/bin",  # nbgrader calls alembic by its bare name
            "JUPYTER_CONFIG_PATH": str(SITE / "etc"),
        },
        capture_output=True,
        text=True,
        timeout=LONG_S,
    )


def run(machine: Path, user: str, *command: str) -> str:
    """``attempt`` what must succeed, the instructor in the course; returns all that it said."""
    if user == GRACE:
        command = ("env", "--chdir", "course", *command)
    done = attempt(machine, user, *command)
    assert done.returncode == 0, f"{user}: {command}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def run_at_once(machine: Path, command: str) -> None:
    """A command of nbgrader for the lesson, by all students."""
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda who: run(machine, who, "nbgrader", command, LESSON), STUDENTS))


@pytest.fixture(scope="module")
def machine(the_course, tmp_path_factory):
    """A system with an exchange and three homes; the instructor's holds a course of the lesson and
    exercise 3 alone."""
    folder = tmp_path_factory.mktemp("machine")
    folder.chmod(0o755)
    users = [f"{name}:x:{uid}:{uid}::{SITE}/home/{name}:/bin/sh\n" for name, uid in USERS.items()]
    (folder / "passwd").write_text("".join(users) + Path("/etc/passwd").read_text())
    (folder / "etc").mkdir()
    (folder / "etc" / "nbgrader_config.py").write_text(EVERYBODYS_CONFIG)
    (folder / "exchange").mkdir()
    (folder / "exchange").chmod(0o777)  # the umask has its say in mkdir's mode
    for user in USERS:
        (folder / "home" / user).mkdir(parents=True, mode=0o700)
    root = course_of(folder)
    for name in ("source", "tests/checks"):
        shutil.copytree(the_course.root / name, root / name)
    shutil.copy(the_course.root / "nbgrader_config.py", root)
    for path in (root / "source" / LESSON).glob("*.ipynb"):
        if path.name not in ("0-lesson.ipynb", f"{EXERCISE}.ipynb"):
            path.unlink()
    for user, uid in USERS.items() if IS_ROOT else ():
        home = folder / "home" / user
        for path in (home, *home.rglob("*")):
            os.chown(path, uid, uid)
    return folder


def course_of(machine: Path) -> Path:
    return machine / "home" / GRACE / "course"


def notebook_of(machine: Path, student: str) -> Path:
    return machine / "home" / student / LESSON / f"{EXERCISE}.ipynb"


def files_in(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def answer(machine: Path, student: str, code: str | None) -> None:
    """Save a student's notebook with this answer, or with the model solution."""
    (exercise,) = load_course(course_of(machine)).exercises
    path = notebook_of(machine, student)
    notebook = read_notebook(path)
    if code is None:
        notebook = sample_class.with_reference(notebook, exercise)
    else:
        notebook = sample_class.with_answer(notebook, exercise, code)
    path.write_text(nbformat.writes(notebook))  # in place, so it stays the student's


def marks(machine: Path) -> dict[str, float]:
    course = load_course(course_of(machine))
    scores = gradebook.scores(course, course.lessons[0])
    return {student: by_exercise[EXERCISE] for student, by_exercise in scores.items()}


def pages(machine: Path, student: str) -> list[str]:
    """The feedback on the exercise that a student has fetched, in the order of submissions."""
    found = sorted((notebook_of(machine, student).parent / "feedback").glob(f"*/{EXERCISE}.html"))
    return [path.read_text() for path in found]


@dataclass(frozen=True)
class Round:
    """What was there once the students had fetched their feedback; a later round adds to it."""

    machine: Path
    listed: str
    fetched: dict[str, bytes]  # by file, before anything was answered
    marks: dict[str, float]
    marks_by_jaxercise: dict[str, float]  # in a gradebook of its own
    pages: dict[str, list[str]]


@pytest.fixture(scope="module")
def first(machine):
    """Released, fetched, answered, handed in, collected, graded, and the feedback fetched."""
    run(machine, GRACE, "jaxercise", "release")
    run(machine, GRACE, "nbgrader", "release_assignment", LESSON)
    listed = run(machine, ADA, "nbgrader", "list")
    run_at_once(machine, "fetch_assignment")
    fetched = files_in(notebook_of(machine, CHIARA).parent)
    answer(machine, ADA, None)
    answer(machine, CHIARA, WRONG)
    run_at_once(machine, "submit")
    run(machine, GRACE, "nbgrader", "collect", LESSON)
    run(machine, GRACE, "nbgrader", "autograde", LESSON)
    run(machine, GRACE, "nbgrader", "generate_feedback", LESSON)
    run(machine, GRACE, "nbgrader", "release_feedback", LESSON)
    run_at_once(machine, "fetch_feedback")
    by_nbgrader = marks(machine)
    (course_of(machine) / "gradebook.db").unlink()
    run(machine, GRACE, "jaxercise", "grade")
    read = {student: pages(machine, student) for student in STUDENTS}
    return Round(machine, listed, fetched, by_nbgrader, marks(machine), read)


def test_students_find_and_fetch_what_was_released(first):
    assert f"jaxercise {LESSON}" in first.listed
    assert first.fetched == files_in(course_of(first.machine) / "release" / LESSON)
    assert not any(b"BEGIN SOLUTION" in content for content in first.fetched.values())


def test_marks_are_the_same_by_nbgraders_command_and_by_ours(first):
    assert first.marks[ADA] == 20 and 0 < first.marks[CHIARA] < 12
    assert first.marks_by_jaxercise == first.marks


def test_each_student_fetches_their_own_page(first):
    (right,), (wrong,) = first.pages[ADA], first.pages[CHIARA]
    assert "Score: 20.0 / 20.0" in right and "✗" not in right
    assert f"Score: {first.marks[CHIARA]} / 20.0" in wrong
    assert "✗" in wrong and HINT in wrong


def test_nobody_can_look_at_what_others_handed_in_or_got_back(first):
    inbound, feedback = "exchange/jaxercise/inbound", "exchange/jaxercise/feedback"
    modes = [stat.S_IMODE((first.machine / f).stat().st_mode) for f in (inbound, feedback)]
    assert modes == [0o2733, 0o711]
    if not IS_ROOT:
        return  # all are one user
    (hers,) = (first.machine / inbound).glob(f"{CHIARA}+*")
    assert hers.stat().st_uid == USERS[CHIARA]
    for place in (inbound, feedback, f"home/{CHIARA}", f"home/{GRACE}/course"):
        done = attempt(first.machine, ADA, "ls", f"{SITE}/{place}")
        assert done.returncode != 0 and "Permission denied" in done.stderr, place


@pytest.mark.exhaustive
def test_a_second_submission_is_graded_anew_and_its_feedback_found(first):
    machine = first.machine
    answer(machine, CHIARA, None)
    run(machine, CHIARA, "nbgrader", "submit", LESSON)
    said = run(machine, GRACE, "nbgrader", "collect", LESSON, "--update")
    assert f"Updating submission: {CHIARA}" in said and f"Updating submission: {ADA}" not in said
    run(machine, GRACE, "jaxercise", "grade")
    assert marks(machine) == {ADA: 20, CHIARA: 20}
    run(machine, GRACE, "nbgrader", "release_feedback", LESSON)
    run(machine, CHIARA, "nbgrader", "fetch_feedback", LESSON)
    before, after = pages(machine, CHIARA)
    assert before == first.pages[CHIARA][0]
    assert "Score: 20.0 / 20.0" in after and "✗" not in after


NOTES = {"timestamp.txt": "2025-03-01 11:50:00 UTC", "submission_secret.txt": "5ec4e7"}


@pytest.mark.parametrize("damaged", [None, b"", b"\xff\xfe", b" " * 1025, "link"])
@pytest.mark.parametrize("name", NOTES)
def test_a_damaged_note_of_the_exchange_is_left_out(tmp_path, name, damaged):
    """nbgrader would stop there for the whole class."""
    submitted, staged = tmp_path / "submitted", tmp_path / "staged"
    for folder in (submitted, staged):
        folder.mkdir()
        for each, text in NOTES.items():
            (folder / each).write_text(text)
            (folder / each).chmod(0o444)
    if damaged == "link":
        (submitted / name).replace(tmp_path / "elsewhere")
        (submitted / name).symlink_to(tmp_path / "elsewhere")
    else:
        (submitted / name).unlink()
    if isinstance(damaged, bytes):
        (submitted / name).write_bytes(damaged)
    classroom.copy_exchanged(submitted, staged)
    (other,) = set(NOTES) - {name}
    assert {path.name: path.read_text() for path in staged.iterdir()} == {other: NOTES[other]}


def test_a_linked_folder_gets_nobody_elses_notes(tmp_path):
    for name in ("ada", "staged"):
        (tmp_path / name).mkdir()
    for name, text in NOTES.items():
        (tmp_path / "ada" / name).write_text(text)
    (tmp_path / "boris").symlink_to(tmp_path / "ada")
    classroom.copy_exchanged(tmp_path / "boris", tmp_path / "staged")
    assert not list((tmp_path / "staged").iterdir())
    classroom.copy_exchanged(tmp_path / "ada", tmp_path / "staged")
    assert {path.name for path in (tmp_path / "staged").iterdir()} == set(NOTES)
