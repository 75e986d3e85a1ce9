"""A gradebook in a real PostgreSQL server, through nbgrader's own ``db_url``."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_classrun import STUDENTS, build, grade, scores
from tiny import SCALE

from jaxercise import gradebook

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

CONFIG = '\nc.CourseDirectory.db_url = "postgresql+psycopg://{user}@/postgres?host={sockets}"\n'


def postgres_programs() -> Path:
    """The newest server's programs; Debian keeps them off the path. There must be one."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    assert found or on_path, "install a server: apt-get install postgresql"
    return found[-1].parent if found else Path(str(on_path)).parent


@pytest.fixture
def server(tmp_path_factory) -> Iterator[tuple[str, Path]]:
    """A server of its own, on a socket and no port: its user's name, and the socket's folder."""
    programs, folder = postgres_programs(), tmp_path_factory.mktemp("pg")
    as_user: list[str] = []
    if os.getuid() == 0:  # PostgreSQL refuses to run as root
        as_user = ["runuser", "-u", "postgres", "--"]
        for inner in (folder, *folder.parents):
            if inner.owner() == "root" and inner.is_relative_to("/tmp") and inner != Path("/tmp"):
                inner.chmod(0o711)
        shutil.chown(folder, "postgres")
    user = "postgres" if as_user else Path(folder).owner()
    data, log = folder / "data", folder / "log"
    options = ["-D", str(data), "-A", "trust", "-U", user, "--no-sync"]
    subprocess.run([*as_user, programs / "initdb", *options], check=True, capture_output=True)
    control = [*as_user, programs / "pg_ctl", "-D", data, "-w"]
    flags = f"-c listen_addresses='' -k {folder}"
    subprocess.run([*control, "-l", log, "-o", flags, "start"], check=True, capture_output=True)
    try:
        yield user, folder
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=True, capture_output=True)


def test_marks_in_postgresql_are_those_in_sqlite(server, tmp_path):
    course = build(tmp_path / "course")
    assert grade(course).returncode == 0
    marks = scores(course)
    user, sockets = server
    config = course.root / "nbgrader_config.py"
    config.write_text(config.read_text() + CONFIG.format(user=user, sockets=sockets))
    (course.root / "gradebook.db").unlink()

    first = grade(course)  # verdicts are kept, the gradebook is new
    assert first.returncode == 0, first.stderr
    assert scores(course) == marks
    assert not (course.root / "gradebook.db").exists()

    (lesson,) = course.lessons
    with gradebook.open_gradebook(course.root) as gb:  # a mark given by hand, as formgrader does
        notebook = gb.find_submission_notebook(SCALE, lesson.name, "chiara")
        notebook.grades[0].manual_score = 1.0
        gb.db.commit()
    by_hand = scores(course)
    assert by_hand != marks
    again = grade(course)
    assert again.returncode == 0, again.stderr
    assert scores(course) == by_hand
    assert {path.name for path in (course.root / "feedback").iterdir()} == set(STUDENTS)
