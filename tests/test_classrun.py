"""`jaxercise grade` as it is seen: what it prints and keeps, what stops it, who can do its work."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import tiny
from tiny import LESSON, LOSS, SCALE

from jaxercise import classroom, gradebook, kept, sample_class, settings
from jaxercise.course import Course, load_course, read_notebook
from jaxercise.release import release
from jaxercise.settings import Confinement

pytestmark = pytest.mark.slow

STUDENTS = ("ada", "boris", "chiara", "devi")  # all right, LOSS wrong, SCALE untouched, nothing
LONG_S = 300
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader calls alembic


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "jaxercise", "grade", *options]


def grade(course: Course, *options: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        command(*options), cwd=course.root, capture_output=True, text=True, timeout=LONG_S
    )


def build(root: Path) -> Course:
    course = tiny.build(root)
    release(course, course.lessons[0])
    folder = root / "release" / LESSON
    for student in STUDENTS:
        for exercise in course.exercises:
            notebook = read_notebook(folder / exercise.notebook.name)
            solved = sample_class.with_reference(notebook, exercise)
            if student == "boris" and exercise.name == LOSS:
                for cell in solved.cells:
                    cell.source = cell.source.replace("jnp.mean(", "jnp.sum(")
            untouched = student == "devi" or (student == "chiara" and exercise.name == SCALE)
            path = root / "submitted" / student / LESSON / exercise.notebook.name
            kept.write_whole(path, json.dumps(notebook if untouched else solved))
    return course


def scores(course: Course) -> dict[str, dict[str, float]]:
    return gradebook.scores(course, course.lessons[0])


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The class graded once, with what the run said."""
    course = build(tmp_path_factory.mktemp("class"))
    done = grade(course)
    assert done.returncode == 0, done.stderr
    return course, done


@pytest.fixture
def course(graded, tmp_path):
    """A copy of the graded class to do something to."""
    shutil.copytree(graded[0].root, tmp_path / "course")
    return load_course(tmp_path / "course")


def test_other_commands_and_pages_leave_verdicts_valid():
    """What grades is a part of a verdict's key; what shows it is not."""
    grades = {path.stem for path in kept._grading_modules()}
    assert {"checks", "classroom", "grading", "judging", "probe", "restore", "tenants"} <= grades
    assert not grades & {"cli", "classrun", "sample_class", "unchanged"}


def verdict_times(course: Course) -> dict[Path, int]:
    """When each kept verdict was written; a run may be replacing them meanwhile."""
    folder = course.root / ".jaxercise" / "verdicts"
    times = {}
    for path in folder.rglob("*.json"):
        with suppress(FileNotFoundError):
            times[path.relative_to(folder)] = path.stat().st_mtime_ns
    return times


def test_a_second_run_says_the_same_at_once(graded):
    """0.2 s, for it imports nothing of what takes seconds."""
    course, first = graded
    slow = [sys.executable, "-X", "importtime", *command()[1:]]
    again = subprocess.run(slow, cwd=course.root, capture_output=True, text=True, timeout=LONG_S)
    assert again.stdout == first.stdout
    imported = set(re.findall(r"\| +(\S+)$", again.stderr, re.MULTILINE))
    assert "jaxercise.unchanged" in imported
    assert not imported & {"nbgrader", "nbformat", "jax", "IPython", "sqlalchemy"}
    assert "Nothing has changed" in again.stderr and "Nothing has changed" not in first.stderr


@pytest.mark.parametrize(
    "what",
    [
        "gradebook",
        *(
            pytest.param(what, marks=pytest.mark.exhaustive)
            for what in ("submission", "check", "page", "option")
        ),
    ],
)
def test_whatever_was_touched_is_looked_at_again(graded, course, what):
    options = []
    if what == "submission":
        path = course.root / "submitted" / "ada" / LESSON / f"{LOSS}.ipynb"
        path.write_text(path.read_text() + "\n")
    elif what == "check":
        with (course.root / "tests/checks/test_loss.py").open("a") as file:
            file.write("# looked over\n")
    elif what == "gradebook":
        with gradebook.open_gradebook(course.root) as book:
            notebook = book.find_submission_notebook(LOSS, LESSON, "boris")
            notebook.grades[0].manual_score = 2.5
            book.db.commit()
    elif what == "page":
        shutil.rmtree(course.root / "feedback" / "ada")
    else:
        options = ["--json"]
    before = verdict_times(course)
    done = grade(course, *options)
    assert done.returncode == 0, done.stderr
    assert "Nothing has changed" not in done.stderr
    anew = {path for path, when in verdict_times(course).items() if before[path] != when}
    expected = {Path(s, LESSON, f"{LOSS}.json") for s in STUDENTS} if what == "check" else set()
    assert anew == expected
    assert (course.root / "feedback" / "ada" / LESSON / f"{LOSS}.html").exists()
    theirs = scores(course)
    assert theirs["boris"][LOSS] == (
        2.5 if what == "gradebook" else scores(graded[0])["boris"][LOSS]
    )
    page = (course.root / "feedback" / "boris" / LESSON / f"{LOSS}.html").read_text()
    assert ("Score: 2.5" in page) == (what == "gradebook")


def test_prose_beside_the_notebooks_makes_no_verdict_stale_and_code_does(course_copy):
    (lesson,) = course_copy.lessons
    exercise = lesson.exercises[0]
    before = kept.state_of_judge(lesson, exercise)
    for name, stale in (("glossary.md", False), ("mlp.py", True)):
        with (lesson.folder / name).open("a") as file:
            file.write("\n")
        assert (kept.state_of_judge(lesson, exercise) != before) == stale, name


STOPS_HALFWAY = """
import sys, time
from pathlib import Path
from jaxercise import kept
Path.replace = lambda half, path: time.sleep(600)
kept.write_whole(Path(sys.argv[1]), "all of it")
"""


def test_a_run_removes_what_one_that_was_killed_had_half_written(tmp_path):
    path = tmp_path / ".jaxercise" / "verdicts" / "loss.json"

    def half() -> list[Path]:
        return list(path.parent.glob("loss.json.*.half"))

    with subprocess.Popen([sys.executable, "-c", STOPS_HALFWAY, path]) as process:
        while not half() and process.poll() is None:
            time.sleep(0.01)
        kept.sweep(tmp_path)
        assert half()  # whoever writes it may not be done yet
        process.kill()
    kept.sweep(tmp_path)
    assert not half() and not path.exists()


@pytest.mark.exhaustive
def test_only_who_has_changed_is_written_again(course):
    def written() -> dict[Path, int]:
        return {p: p.stat().st_mtime_ns for p in course.root.glob("feedback/*/*/*.html")}

    path = course.root / "submitted" / "devi" / LESSON / f"{LOSS}.ipynb"
    shutil.copy(course.root / "submitted" / "ada" / LESSON / f"{LOSS}.ipynb", path)
    before = written()
    assert grade(course).returncode == 0
    assert {p.parts[-3] for p, when in written().items() if before[p] != when} == {"devi"}
    assert scores(course)["devi"] == {SCALE: 0, LOSS: 5}


@pytest.mark.exhaustive
def test_lines_of_json_for_machines_and_a_log_for_each(graded, course):
    done = grade(course, "--json", "--fresh")
    assert done.returncode == 0, done.stderr
    lines = {(x["student"], x["exercise"]): x for x in map(json.loads, done.stdout.splitlines())}
    assert set(lines) == {(s, e) for s in STUDENTS for e in (SCALE, LOSS)}
    for (student, exercise), line in lines.items():
        assert line["score"] == scores(course)[student][exercise]
        log = kept.Place(course.root, LESSON, student, exercise).log.read_text()
        assert f"{line['score']:g} of {line['max_score']:g} points" in log
        for check in line["checks"]:
            assert check["passed"] or check["message"] in log
    before = verdict_times(graded[0])
    assert all(when > before[path] for path, when in verdict_times(course).items())  # --fresh


@contextmanager
def begun(course: Course, *options: str) -> Iterator[subprocess.Popen]:
    """Start to grade afresh, in a group of its own as a terminal does."""
    with subprocess.Popen(
        command("--fresh", *options),
        cwd=course.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for_verdicts(course: Course, number: int, process: subprocess.Popen, since: int) -> None:
    deadline = time.monotonic() + LONG_S
    while sum(when > since for when in verdict_times(course).values()) < number:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(graded, course):
    marks, since = scores(course), time.time_ns()
    with begun(course) as process:
        wait_for_verdicts(course, 2, process, since)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in err
    assert "of 8 notebooks" in err and "The same command goes on from here" in err
    assert scores(course) == marks
    before = {path: when for path, when in verdict_times(course).items() if when > since}
    assert 2 <= len(before) < 8
    done = grade(course)
    assert done.stdout == graded[1].stdout
    after = verdict_times(course)
    assert {path: after[path] for path in before} == before


def workers_of(process: subprocess.Popen) -> list[int]:
    """The processes that it started to grade in."""
    task = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    children = [int(child) for child in task.read_text().split()]
    return [c for c in children if "spawn_main" in Path(f"/proc/{c}/cmdline").read_text()]


@pytest.mark.exhaustive
def test_a_worker_that_is_killed_is_replaced_and_nobody_loses_a_mark(graded, course):
    since = time.time_ns()
    with begun(course) as process:
        wait_for_verdicts(course, 2, process, since)
        os.kill(workers_of(process)[0], signal.SIGKILL)
        out, err = process.communicate(timeout=LONG_S)
    assert process.returncode == 0, err
    assert out == graded[1].stdout
    assert scores(course) == scores(graded[0])


@pytest.mark.exhaustive
def test_a_cluster_grades_the_same_though_it_loses_a_worker(graded, course):
    from distributed import LocalCluster

    since = time.time_ns()
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        begun(course, "--scheduler", cluster.scheduler_address) as process,
    ):
        wait_for_verdicts(course, 2, process, since)
        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
        out, err = process.communicate(timeout=LONG_S)
    assert process.returncode == 0, err
    assert out == graded[1].stdout
    assert scores(course) == scores(graded[0])


CLUSTER = """
import time
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        time.sleep(600)
"""


@pytest.mark.exhaustive
def test_a_cluster_that_is_lost_stops_the_run_and_nobody_loses_a_mark(graded, course, tmp_path):
    script = tmp_path / "cluster.py"
    script.write_text(CLUSTER)
    since = time.time_ns()
    cluster = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert cluster.stdout is not None
    with cluster, begun(course, "--scheduler", cluster.stdout.readline().strip()) as process:
        wait_for_verdicts(course, 2, process, since)
        os.killpg(cluster.pid, signal.SIGKILL)
        _, err = process.communicate(timeout=LONG_S)
    assert process.returncode == 130, err
    assert "the cluster's scheduler was lost" in err and "goes on from here" in err
    after = grade(course)
    assert after.returncode == 0 and after.stdout == graded[1].stdout
    assert scores(course) == scores(graded[0])


def die_of_boris(root: Path, submission: classroom.Submission, confinement: Confinement):
    """In a worker: what nobody has found yet, an answer of which the grader's own process dies."""
    if submission.student == "boris":
        os._exit(1)
    return classroom._grade_one(root, submission, confinement)


@pytest.mark.exhaustive
def test_a_submission_that_ends_its_worker_twice_gets_the_reason(course, monkeypatch):
    marks = scores(course)
    (lesson,) = course.lessons
    shutil.rmtree(course.root / ".jaxercise" / "verdicts")
    with monkeypatch.context() as changed:
        changed.setattr(classroom, "_grade_one", die_of_boris)
        found = list(classroom.grade_class(course, lesson, 2, settings.confinement(course.root)))
    assert len(found) == 2 * len(STUDENTS)
    for one in found:
        student, exercise = one.submission.student, one.submission.exercise
        if student == "boris":
            assert {check.message for check in one.verdict.checks} == {classroom.CRASHED}
            log = kept.Place(course.root, LESSON, student, exercise).log.read_text()
            assert "BrokenProcessPool" in log
        else:
            assert one.verdict.score == marks[student][exercise]
    assert grade(course).returncode == 0  # it is tried again
    assert scores(course) == marks


@pytest.mark.exhaustive
def test_killed_at_twenty_random_moments_the_marks_are_those_of_an_undisturbed_run(graded, course):
    rng, kills = random.Random(5), 0
    shutil.rmtree(course.root / ".jaxercise")
    while kills < 20:
        process = subprocess.Popen(
            command(),
            cwd=course.root,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(timeout=rng.uniform(1, 25))
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
            continue
        # all is graded: there has to be something left to disturb
        assert process.returncode == 0 and scores(course) == scores(graded[0])
        for path in (course.root / ".jaxercise").rglob("*.json"):
            if rng.random() < 0.5:
                path.unlink()
    done = grade(course)
    assert done.returncode == 0 and done.stdout == graded[1].stdout
    assert scores(course) == scores(graded[0])
    assert list(course.root.rglob("*.half")) == []
