"""The doctor finds each thing that can be wrong, names what mends it, and changes nothing."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import pytest
import tiny
from tiny import LESSON, LOSS, SCALE

from jaxercise import course as courses
from jaxercise import doctor, inspection, reference, workers
from jaxercise.course import load_course
from jaxercise.doctor import Finding, as_text
from jaxercise.release import release


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A course in which nothing is wrong: released, with its reference and a student's work."""
    course = tiny.build(tmp_path_factory.mktemp("well"))
    release(course, course.lessons[0])
    for exercise in course.exercises:
        exercise.reference.parent.mkdir(exist_ok=True)
        exercise.reference.write_text(reference.module_source(exercise))
    shutil.copytree(course.root / "release" / LESSON, course.root / "submitted" / "ada" / LESSON)
    return course.root


@pytest.fixture
def root(made, tmp_path):
    """A copy of it to break something in."""
    return Path(shutil.copytree(made, tmp_path / "course"))


def only(findings: Iterable[Finding], what: str, cure: str, stops: bool) -> None:
    """There is one finding that is not well, and it says this."""
    bad = [finding for finding in findings if not finding.ok]
    assert len(bad) == 1, bad
    assert what in bad[0].what and cure in bad[0].cure and bad[0].stops == stops, bad


def run(root: Path, **more: str) -> subprocess.CompletedProcess:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [sys.executable, "-m", "jaxercise", "doctor"],
        cwd=root,
        env={**os.environ, "PATH": path, **more},
        capture_output=True,
        text=True,
    )


def everything_in(root: Path) -> dict[Path, int]:
    return {p: p.stat().st_mtime_ns for p in root.rglob("*") if "__pycache__" not in p.parts}


@pytest.mark.slow
def test_a_healthy_course_has_nothing_to_mend_and_stays_as_it_is(made):
    before = everything_in(made)
    done = run(made)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WRONG" not in done.stdout and done.stderr == ""
    for words in (
        "alembic is on the path",
        "nbgrader_config.py can be read",
        "A sandbox was started",
        f"{LESSON}: 2 exercises with checks for all of their 15 points",
        f"release/{LESSON} is up to date",
        "reference/ is up to date",
        "gradebook.db can be opened",
        "submitted/ holds the work of 1 student",
    ):
        assert f"ok     {words}" in done.stdout
    files = {p for p in everything_in(made) if before.get(p) != everything_in(made)[p]}
    assert not {p for p in files if p.is_file()}, files


@pytest.mark.slow
def test_what_is_wrong_exits_with_1_and_says_what_mends_it(root):
    (root / "reference" / "loss.py").unlink()
    (root / "submitted" / "ada" / LESSON / "more").mkdir()
    done = run(root, PATH="/none")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert (
        "WRONG  reference/ is out of date: loss.py\n       mend it: make reference" in done.stdout
    )
    assert "WRONG  make is not installed" in done.stdout
    assert "bubblewrap is not installed" in done.stdout
    assert "sudo apt-get install bubblewrap" in done.stdout
    assert "note   alembic: it is not on the path" in done.stdout
    assert "note   There is no Chromium" in done.stdout


@pytest.mark.parametrize(
    ("line", "what", "cure", "stops"),
    [
        ("c.Jaxercise.tasks = (", "SyntaxError", "correct", True),
        ("undefined.name = 1", "NameError", "correct line", True),
        ("c.Jaxercise.tasks = 'many'", "TraitError", "correct", True),
        (
            "c.Jaxercise.cell_second = 3",
            "Did you mean one of: `answer_seconds, cell",
            "correct",
            False,
        ),
        ("c.Jaxercise.qqq = 3", "`qqq` not recognized", "correct", False),
    ],
)
def test_configuration(root, line, what, cure, stops):
    with (root / "nbgrader_config.py").open("a") as file:
        file.write(f"\n{line}\n")
    only(inspection.configuration(root), what, cure, stops)


def test_without_a_configuration_the_rest_is_not_looked_at(root, monkeypatch):
    (root / "nbgrader_config.py").write_text("1 / 0")
    monkeypatch.setattr(doctor, "confinement", None)
    *_, last = doctor.examine(root)
    assert "was not looked at" in last.what


def test_a_notebook_that_cannot_be_read(root):
    (root / "source" / LESSON / f"{LOSS}.ipynb").write_text("{ half")
    findings = list(inspection.course(root))
    only([f for f in findings if "source" in f.what], f"{LOSS}.ipynb", "git checkout", True)
    assert any("gradebook.db can be opened" in f.what for f in findings)  # it goes on


def test_a_course_without_lessons(root):
    shutil.rmtree(root / "source" / LESSON)
    assert any("no lesson" in f.what and f.stops for f in inspection.course(root))
    (root / "source").rmdir()
    assert any("source/ cannot be read" in f.what and f.stops for f in inspection.course(root))


def break_source(root: Path, how: str) -> None:
    folder, checks = root / "source" / LESSON, root / "tests" / "checks"
    if how == "no checks":
        (checks / "test_loss.py").unlink()
    elif how == "points":
        text = (checks / "test_loss.py").read_text()
        (checks / "test_loss.py").write_text(text.replace("points=3", "points=1"))
    elif how == "broken checks":
        (checks / "test_loss.py").write_text("import nothing_of_this_name\n")
    elif how == "stray":
        (folder / "answers.txt").write_text("42")
    elif how == "not released":
        shutil.rmtree(root / "release" / LESSON)
    elif how == "stale":
        (root / "release" / LESSON / "scales.py").write_text("# older\n")


@pytest.mark.parametrize(
    ("how", "what", "cure"),
    [
        ("no checks", f"{LOSS}: no checks in tests/checks/test_loss.py", "make release"),
        ("points", f"{LOSS}, loss-values: 5 points, checks for 3", "make release"),
        ("broken checks", "could not be run", "tests/checks/"),
        ("stray", "answers.txt: not in c.Jaxercise.public_files", f"source/{LESSON}/"),
        ("not released", f"release/{LESSON} has not been made", "make release"),
        ("stale", f"release/{LESSON} is out of date: scales.py", "make release"),
    ],
)
def test_source_and_release(root, how, what, cure):
    break_source(root, how)
    course = load_course(root)
    only(inspection.source(course, course.lessons[0]), what, cure, True)


def test_reference(root):
    course = load_course(root)
    (root / "reference" / "scale.py").write_text("def double(x): return x\n")
    (root / "reference" / "loss.py").unlink()
    only(inspection.solutions(course), "scale.py, loss.py", "make reference", True)
    path = root / "source" / LESSON / f"{SCALE}.ipynb"
    path.write_text(path.read_text().replace("return 2 * x", "return 2 * * x"))
    assert courses.load_course(root).exercises[0].name == SCALE
    findings = list(inspection.solutions(course))
    assert any("SyntaxError" in f.what and SCALE in f.what and f.stops for f in findings)


def test_gradebook(root, monkeypatch):
    file = root / "gradebook.db"

    def set_version(statement: str) -> None:
        with sqlite3.connect(file) as db:
            db.execute(statement)
        db.close()

    set_version("UPDATE alembic_version SET version_num = '167914646830'")
    only(inspection.gradebook(root), "older nbgrader", "nbgrader db upgrade", True)
    set_version("UPDATE alembic_version SET version_num = 'ffff'")
    only(inspection.gradebook(root), "newer nbgrader (ffff)", "install the nbgrader", True)
    set_version("DROP TABLE alembic_version")
    only(inspection.gradebook(root), "older nbgrader", "nbgrader db upgrade", True)
    with monkeypatch.context() as changed:
        changed.setattr(os, "access", lambda *_: False)
        only(inspection.gradebook(root), "cannot be written", "chmod u+rw gradebook.db", True)
    damaged = bytearray(file.read_bytes())
    damaged[5000:9000] = b"\xff" * 4000
    file.write_bytes(damaged)
    only(inspection.gradebook(root), "cannot be opened", "restore a copy", True)
    file.write_text("not a database at all" * 100)
    only(inspection.gradebook(root), "not a database", "restore a copy", True)
    file.write_bytes(b"")
    assert [f.ok for f in inspection.gradebook(root)] == [True]
    file.unlink()
    assert [f.ok for f in inspection.gradebook(root)] == [True]
    assert not file.exists()


def test_a_gradebook_in_a_server_that_is_not_there(root):
    url = "postgresql+psycopg://somebody:secret@/none?host=/nowhere"
    with (root / "nbgrader_config.py").open("a") as file:
        file.write(f"\nc.CourseDirectory.db_url = {url!r}\n")
    (finding,) = inspection.gradebook(root)
    assert finding.stops and "db_url" in finding.cure and "secret" not in finding.what


def test_exchange(root, tmp_path, monkeypatch):
    monkeypatch.setattr(inspection, "USUAL_EXCHANGE", tmp_path / "usual")
    only(inspection.exchange(root), "no exchange directory", "", False)
    (tmp_path / "usual").mkdir()
    assert [f.ok for f in inspection.exchange(root)] == [True]
    with (root / "nbgrader_config.py").open("a") as file:
        file.write(f"\nc.Exchange.root = {str(tmp_path / 'its own')!r}\n")
    only(inspection.exchange(root), "is not there", "sudo mkdir -p", True)
    (tmp_path / "its own").mkdir()
    assert [f.ok for f in inspection.exchange(root)] == [True]


def test_submitted(root):
    course, top = load_course(root), root / "submitted"

    def now() -> list[Finding]:
        return list(inspection.submitted(course))

    assert [f.ok for f in now()] == [True]
    (top / "boris" / "First-Steps").mkdir(parents=True)
    moved = f"mv submitted/boris/First-Steps submitted/boris/{LESSON}"
    only(now(), "submitted/boris/First-Steps has no lesson's name", moved, False)
    (top / "boris" / LESSON).mkdir()
    assert [f.cure.split(",")[0] for f in now()] == ["look at both", "collect again"]
    shutil.rmtree(top / "boris")
    (top / "chiara").mkdir()
    (top / "chiara" / f"{LOSS}.ipynb").write_text("{}")
    only(now(), "No folder of a lesson in: chiara", "submitted/STUDENT/LESSON", False)
    shutil.rmtree(top / "chiara")
    (top / "devi").symlink_to(top / "ada")
    only(now(), "not followed: devi", "copy", False)
    (top / "devi").unlink()
    for number in range(12):
        (top / "ada" / f"x{number}").mkdir()
    assert "2 more folders" in now()[-1].what


def test_packages(tmp_path, monkeypatch):
    lock = tmp_path / "requirements.lock"
    lock.write_text(
        "# pins\nnumpy==1.0; python_version >= '3.11'\nnumpy==0.9; python_version < '3.11'\n"
        "optax==2.0\nsphinx==3.0\n"
    )
    found = {"numpy": "1.0", "optax": "2.0", "sphinx": "3.0", "jax": "0.10.1"}
    monkeypatch.setattr(doctor, "installed_version", found.get)
    monkeypatch.setattr(doctor, "needed", lambda: ["numpy", "optax"])
    assert [f.ok for f in doctor.packages(lock)] == [True]
    found["optax"] = "2.1"
    only(doctor.packages(lock), "optax 2.1 (pinned: 2.0)", f"--requirement {lock}", False)
    found |= {"optax": "2.0", "jax": "0.10.2"}
    only(doctor.packages(lock), "jax 0.10.2 computes wrong results", "pip install", True)
    found["jax"] = "0.10.1"
    del found["sphinx"]
    only(doctor.packages(lock), "not installed: sphinx", "pip install", False)
    del found["numpy"]
    only(doctor.packages(lock), "missing: numpy", "pip install", True)
    *_, last = doctor.examine(tmp_path)
    assert "The rest was not looked at" in last.what


def test_the_packages_here_are_those_that_are_pinned():
    lock = doctor.checkout() / doctor.LOCK
    assert len(doctor.pinned(lock)) > 100 and "nbgrader" in doctor.needed()
    assert not any(finding.stops for finding in doctor.packages(lock))
    only(doctor.packages(None), "to compare", "", False)


def test_programs_of_another_environment(tmp_path, monkeypatch):
    for name in ("alembic", "nbgrader", "make", "chromium"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    for finding in list(doctor.programs())[:2]:
        assert "the path has" in finding.what and "export PATH=" in finding.cure
        assert not finding.stops
    monkeypatch.setattr(doctor.sys, "executable", "/nowhere/bin/python")
    assert [(f.ok, f.stops) for f in doctor.programs()] == [(False, True)] * 2 + [(True, False)] * 2


def test_memory_and_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "free_bytes", lambda: 8 * 2**30)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=8 * 2**30))
    assert [f.ok for f in doctor.machine(tmp_path)] == [True, True]
    monkeypatch.setattr(workers, "free_bytes", lambda: 2**29)
    only(doctor.machine(tmp_path), "0.5 GiB of memory are free; a worker needs 2", "end", True)
    monkeypatch.setattr(workers, "free_bytes", lambda: 8 * 2**30)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=2**28))
    only(doctor.machine(tmp_path), "of disk are free; a class needs 1", "make clean", True)


def test_the_weaker_sandbox_is_a_note(root, monkeypatch):
    monkeypatch.setattr(doctor.sandbox, "try_out", lambda _: None)
    with (root / "nbgrader_config.py").open("a") as file:
        file.write("\nc.Jaxercise.sandbox = 'process'\n")
    only(doctor.confinement(root), "run without bubblewrap", "docs/trust.md", False)


def test_a_finding_is_one_line_whatever_a_file_is_called():
    text = as_text(doctor.note("submitted/a\nb\udcff has no lesson's name", "mv a b"))
    assert text == "note   submitted/a b? has no lesson's name\n       mend it: mv a b"
