"""The command line as people and machines use it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from jaxercise.verdict import from_json

ROOT = Path(__file__).parents[1]
JAXERCISE = [sys.executable, "-m", "jaxercise"]
EXERCISE = "3-generic-forward"
RIGHT = ROOT / "reference" / "generic_forward.py"


def run(*args, cwd=ROOT):
    return subprocess.run([*JAXERCISE, *map(str, args)], cwd=cwd, capture_output=True, text=True)


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
