"""docs/authoring.md, followed to the letter: its files make a course, its commands print what it
says, and nothing in the package knows of it."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "authoring.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A folder with the files that the page shows."""
    root = tmp_path_factory.mktemp("course")
    config = (ROOT / "nbgrader_config.py").read_text()
    for kind, block in BLOCKS:
        first, _, rest = block.partition("\n")
        if kind == "python" and first.startswith("# file: "):
            path = root / first.removeprefix("# file: ")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(rest)
        elif kind == "python" and first == "# in nbgrader_config.py":
            ours = re.search(r"^c.Jaxercise.public_files.*$", config, re.MULTILINE)
            config = config.replace(ours.group(), rest.strip())
    (root / "nbgrader_config.py").write_text(config)
    return root


def typed() -> list[tuple[str, list[str]]]:
    """Each command of the page, with the lines that it prints according to the page."""
    found: list[tuple[str, list[str]]] = []
    for kind, block in BLOCKS:
        for line in block.splitlines() if kind == "console" else []:
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def test_the_page_makes_a_course_that_grades_a_class(course):
    programs = {"python": [sys.executable], "jaxercise": [sys.executable, "-m", "jaxercise"]}
    assert len(typed()) >= 8
    for command, lines in typed():
        program, *rest = shlex.split(command)
        done = subprocess.run(
            [*programs[program], *rest],
            cwd=course,
            env=os.environ | {"NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        for line in lines:
            assert line in done.stdout.splitlines(), f"{command} printed: {done.stdout}"
    released = (course / "release" / "scaling" / "1-standardise.ipynb").read_text()
    assert "x.std" not in released and "grade(" not in released
    feedback = sorted(course.glob("feedback/*/scaling/1-standardise.html"))
    assert [path.parts[-3] for path in feedback] == ["ada", "boris"]
    words = feedback[1].read_text()
    assert "divides" in words or "one by one" in words  # boris made one of the two mistakes


def test_the_engine_knows_no_exercise(the_course):
    """Names of exercises, their functions and their files stand nowhere in the package."""
    source = "\n".join(path.read_text() for path in (ROOT / "jaxercise").rglob("*.py"))
    code = re.sub(r'"""(.*?)"""|#.*', "", source, flags=re.DOTALL)  # examples may name them
    for exercise in the_course.exercises:
        assert exercise.name not in code.replace('help="An exercise, such as 1-dropout-keys."', "")
        for name in re.findall(r"^def (\w+)", exercise.reference.read_text(), re.MULTILINE):
            assert not re.search(rf"\b{name}\(", code) or name in ("train", "dropout"), name
