"""Formgrader's buttons without a browser: a real Jupyter server with nbgrader's extension is asked
for what formgrader's pages ask for, as a browser would.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
import requests

from jaxercise import gradebook, sample_class
from jaxercise.course import load_course, read_notebook
from jaxercise.kept import write_whole
from jaxercise.release import release

pytestmark = pytest.mark.slow

LESSON, EXERCISE, STUDENT = "intro-to-jax", "3-generic-forward", "chiara"
WRONG = "def mlp_forward(params, x):\n    return x @ params['layer1']['w'] + params['layer1']['b']"
HINT = "the layers at the end did not run"
BY_HAND, COMMENT = 2.5, "Come to my office hour."
LONG_S = 600  # for one answer; three seconds as a rule, or twenty where something is graded


@pytest.fixture(scope="module")
def course(the_course, tmp_path_factory):
    """A course of exercise 3 alone, with one wrong answer handed in."""
    root = tmp_path_factory.mktemp("course")
    for name in ("source", "tests/checks"):
        shutil.copytree(the_course.root / name, root / name)
    shutil.copy(the_course.root / "nbgrader_config.py", root)
    for path in (root / "source" / LESSON).glob("*.ipynb"):
        if path.stem != EXERCISE:
            path.unlink()
    course = load_course(root)
    folder = release(course, course.lessons[0])
    notebook = read_notebook(folder / f"{EXERCISE}.ipynb")
    answered = sample_class.with_answer(notebook, course.exercise(EXERCISE), WRONG)
    path = root / "submitted" / STUDENT / LESSON / f"{EXERCISE}.ipynb"
    write_whole(path, nbformat.writes(answered))
    return course


def environment(own: Path | None = None) -> dict[str, str]:
    """This environment's programs, and none of this user's settings of Jupyter."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "JPY", "IPYTHON"))}
    kept["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
    return kept if own is None else kept | {"HOME": str(own)}


@contextmanager
def jupyter_server(root: Path, own: Path) -> Iterator[dict]:
    """A server started in the course's folder; gives what it writes down of itself."""
    runtime = own / "runtime"
    options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0"]
    with (own / "log.txt").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyter_server", *options, f"--ServerApp.root_dir={root}"],
            cwd=root,
            env=environment(own) | {"JUPYTER_RUNTIME_DIR": str(runtime)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            give_up = time.monotonic() + LONG_S
            while not (said := _said(runtime)):
                assert server.poll() is None and time.monotonic() < give_up, _log(own)
                time.sleep(0.1)
            yield said
        finally:
            server.terminate()
            server.wait(LONG_S)
    assert "Traceback" not in _log(own), _log(own)


def _said(runtime: Path) -> dict:
    for path in runtime.glob("jpserver-*.json"):
        try:
            return json.loads(path.read_text())
        except ValueError:  # half written
            return {}
    return {}


def _log(own: Path) -> str:
    return (own / "log.txt").read_text()


@dataclass(frozen=True)
class Formgrader:
    """Someone who has opened formgrader, as the server knows them by their cookies."""

    url: str
    session: requests.Session

    def ask(self, method: str, path: str, **more) -> requests.Response:
        return self.session.request(method, f"{self.url}/{path}", timeout=LONG_S, **more)

    def get(self, path: str, **about) -> list | dict:
        answer = self.ask("GET", f"api/{path}", params=about)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def press(self, method: str, path: str, **values) -> dict:
        """What a button does."""
        answer = self.ask(method, f"api/{path}", json=values, headers=self.token())
        assert answer.status_code == 200, answer.text
        return answer.json()

    def token(self) -> dict[str, str]:
        """What keeps other sites from pressing a button: they cannot read our cookie."""
        return {"X-XSRFToken": self.session.cookies["_xsrf"]}


def browser() -> requests.Session:
    session = requests.Session()
    session.trust_env = False  # no proxy for this machine
    return session


@pytest.fixture(scope="module")
def formgrader(course, tmp_path_factory):
    """Formgrader, opened with the address that the server prints."""
    own = tmp_path_factory.mktemp("own")
    with jupyter_server(course.root, own) as said, browser() as session:
        opened = Formgrader(f"{said['url']}formgrader", session)
        assert opened.ask("GET", "", params={"token": said["token"]}).status_code == 200
        yield opened


AUTOGRADE = f"submission/{LESSON}/{STUDENT}/autograde"


@pytest.fixture(scope="module")
def graded(formgrader):
    """What formgrader knew of the submission when its button had been pressed."""
    done = formgrader.press("POST", AUTOGRADE)
    assert done["success"], done
    return formgrader.get(f"submission/{LESSON}/{STUDENT}")


def submission_id(formgrader: Formgrader) -> str:
    """Of the one notebook that was handed in."""
    (notebook,) = formgrader.get(f"submitted_notebooks/{LESSON}/{EXERCISE}")
    return notebook["id"]


def grades(formgrader: Formgrader) -> dict[str, dict]:
    found = formgrader.get("grades", submission_id=submission_id(formgrader))
    return {grade["name"]: grade for grade in found}


def comments(formgrader: Formgrader) -> dict[str, dict]:
    found = formgrader.get("comments", submission_id=submission_id(formgrader))
    return {comment["name"]: comment for comment in found}


def test_the_autograde_button_gives_marks(formgrader, graded, course):
    assert graded["autograded"] and not graded["needs_manual_grade"]
    assert 0 < graded["score"] < 12 and graded["max_score"] == 20
    cells = {cell.grade_id: cell.points for cell in course.exercise(EXERCISE).cells}
    shown = grades(formgrader)
    assert {name: grade["max_score"] for name, grade in shown.items()} == cells
    assert sum(grade["auto_score"] for grade in shown.values()) == graded["score"]


@pytest.mark.usefixtures("graded")
def test_the_submissions_page_says_what_went_wrong(formgrader):
    page = formgrader.ask("GET", f"submissions/{submission_id(formgrader)}/")
    assert page.status_code == 200
    assert "✗" in page.text and HINT in page.text
    assert "HIDDEN TESTS" not in page.text


@pytest.mark.usefixtures("graded")
def test_other_sites_and_strangers_press_no_button(formgrader):
    assert formgrader.ask("POST", f"api/{AUTOGRADE}").status_code == 403
    with browser() as session:
        stranger = Formgrader(formgrader.url, session)
        session.cookies["_xsrf"] = formgrader.session.cookies["_xsrf"]
        answer = stranger.ask("POST", f"api/{AUTOGRADE}", headers=stranger.token())
        assert answer.status_code == 403


def test_what_a_person_gave_survives_regrading_and_is_on_the_page(formgrader, graded, course):
    cell = next(name for name, grade in grades(formgrader).items() if not grade["auto_score"])
    formgrader.press("PUT", f"grade/{grades(formgrader)[cell]['id']}", manual_score=BY_HAND)
    answer, comment = next(iter(comments(formgrader).items()))
    formgrader.press("PUT", f"comment/{comment['id']}", manual_comment=COMMENT)
    total = graded["score"] + BY_HAND

    def assert_kept():
        assert formgrader.get(f"submission/{LESSON}/{STUDENT}")["score"] == total
        kept = grades(formgrader)[cell]
        assert (kept["auto_score"], kept["manual_score"]) == (0, BY_HAND)
        assert comments(formgrader)[answer]["manual_comment"] == COMMENT

    assert_kept()
    assert formgrader.press("POST", AUTOGRADE)["success"]
    assert_kept()
    assert grades(formgrader)[cell]["needs_manual_grade"]  # a person may look again
    done = subprocess.run(
        [sys.executable, "-m", "jaxercise", "grade"],
        cwd=course.root,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=LONG_S,
    )
    assert done.returncode == 0, done.stderr
    assert_kept()
    assert gradebook.scores(course, course.lessons[0])[STUDENT][EXERCISE] == total

    shutil.rmtree(course.root / "feedback")
    made = formgrader.press("POST", f"assignment/{LESSON}/{STUDENT}/generate_feedback")
    assert made["success"], made
    page = (course.root / "feedback" / STUDENT / LESSON / f"{EXERCISE}.html").read_text()
    assert COMMENT in page and f"Score: {total} / 20.0" in page and HINT in page
