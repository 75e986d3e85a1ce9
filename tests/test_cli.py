"""The command line as people and machines use it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from jaxercise.verdict import from_json

ROOT = Path(__file__).parents[1]
JAXERCISE = [sys.executable, "-m", "jaxercise"]
EXERCISE = "3-generic-forward"
RIGHT = ROOT / "reference" / "generic_forward.py"


def run(*args, cwd=ROOT, env=None):
    command, env = [*JAXERCISE, *map(str, args)], {**os.environ, **(env or {})}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)


@pytest.fixture
def wrong(tmp_path):
    """An answer that works for three layers only."""
    path = tmp_path / "three layers.py"
    path.write_text(
        "import jax\n"
        "def mlp_forward(params, x):\n"
        "    for name in ('layer1', 'layer2'):\n"
        "        x = jax.nn.relu(x @ params[name]['w'] + params[name]['b'])\n"
        "    return x @ params['layer3']['w'] + params['layer3']['b']\n"
    )
    return path


def test_check_prints_one_line_of_json_a_file_in_order(tmp_path, wrong):
    empty = tmp_path / "empty.py"
    empty.write_text("")
    done = run("check", EXERCISE, wrong, empty, RIGHT, "--json")
    assert done.returncode == 1, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["file"] for line in lines] == [str(wrong), str(empty), str(RIGHT)]
    for line in lines:
        assert set(line) == {"file", "exercise", "score", "max_score", "checks"}
        assert line["exercise"] == EXERCISE
        assert line["max_score"] == sum(check["points"] for check in line["checks"])
        earned = sum(check["points"] for check in line["checks"] if check["passed"])
        assert line["score"] == pytest.approx(earned)
        for check in line["checks"]:
            assert {"id", "title", "passed", "points", "message"} <= set(check)
            assert bool(check["message"]) != check["passed"]
        assert from_json(line).score == line["score"]
    some, none, full = lines
    assert 0 < some["score"] < some["max_score"]
    assert none["score"] == 0 and "`mlp_forward` is not defined" in none["checks"][0]["message"]
    assert full["score"] == full["max_score"] > 15


def test_full_marks_for_all_is_success_and_people_can_read_it():
    done = run("check", "generic-forward", RIGHT)
    assert done.returncode == 0, done.stderr
    assert "✓" in done.stdout and "✗" not in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["check", "9-nothing", RIGHT], "The exercises are: 1-dropout-keys"),
        (["check", EXERCISE, "no-such-file.py"], "no-such-file.py is not a file"),
        (["check", EXERCISE, ROOT / "tests"], "is not a file"),
        (["check", EXERCISE], "files"),
        (["no-such-command"], "no-such-command"),
    ],
)
def test_bad_usage_is_told_and_exits_with_2(args, words):
    done = run(*args)
    assert done.returncode == 2
    assert words in done.stderr and "Traceback" not in done.stderr


def test_nothing_to_grade_is_told(course_copy):
    done = run("grade", cwd=course_copy.root)
    assert done.returncode == 2
    assert "Nothing to grade" in done.stderr


def test_a_stale_release_is_told(course_copy):
    (course_copy.root / "release" / "intro-to-jax" / "mlp.py").write_text("# older")
    done = run("release", "--check", cwd=course_copy.root)
    assert done.returncode == 1
    assert "release/intro-to-jax is out of date: mlp.py" in done.stderr


def test_without_bubblewrap_answers_are_refused_with_what_to_do(tmp_path):
    done = run("check", EXERCISE, RIGHT, env={"PATH": str(tmp_path)})
    assert done.returncode == 1 and done.stdout == ""
    assert "bubblewrap is not installed" in done.stderr
    assert "apt-get install bubblewrap" in done.stderr and "--sandbox process" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_weaker_sandbox_is_said_in_what_machines_read(tmp_path):
    done = run("check", EXERCISE, RIGHT, "--sandbox", "process", "--json", env={"PATH": "/none"})
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["sandbox"] == "process"


@pytest.mark.exhaustive
def test_a_sample_class_is_graded_without_bubblewrap_and_that_is_said(course_copy):
    """A class of strangers is refused; our own sample goes on, and every page tells."""
    root = course_copy.root
    for path in (root / "source" / "intro-to-jax").glob("*.ipynb"):
        if path.stem != EXERCISE:
            path.unlink()
    for command in (["release"], ["class", "--students", "1"]):
        assert run(*command, cwd=root).returncode == 0
    done = run("grade", cwd=root, env={"PATH": "/none"})
    assert done.returncode == 0, done.stderr
    assert "graded without: --sandbox process" in done.stderr
    assert "Graded without a sandbox." in done.stdout
    page = (root / "feedback" / "ada" / "intro-to-jax" / f"{EXERCISE}.html").read_text()
    assert "Graded without a sandbox." in page and "Score: 20.0 / 20.0" in page
    (root / "submitted" / "ada" / "intro-to-jax" / "notes.txt").write_text("a real student's")
    done = run("grade", cwd=root, env={"PATH": "/none"})
    assert done.returncode == 1 and "cannot be run in a sandbox here" in done.stderr
