"""The model solutions as modules: fresh, importable, and nothing but the answers."""

import subprocess
import sys

from jaxercise import reference


def test_reference_modules_are_what_the_notebooks_say(the_course):
    for exercise in the_course.exercises:
        written = exercise.reference.read_text()
        assert written == reference.module_source(exercise), "stale: run `jaxercise reference`"


def test_reference_modules_can_be_imported(the_course):
    names = [f"reference.{exercise.reference.stem}" for exercise in the_course.exercises]
    code = "; ".join(["import sys", *(f"import {name}" for name in names), "print('imported')"])
    path = f"{the_course.root}:{the_course.lessons[0].folder}"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.stdout == "imported\n", done.stderr
