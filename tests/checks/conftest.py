"""Run by hand, the hidden checks judge the reference solutions: ``pytest tests/checks``.

Graders pass ``--noconftest`` and bring a ``student`` of their own (jaxercise.judging).
"""

import pytest

from jaxercise import course, grading, hosts, judging, settings

COURSE = course.load_course(settings.find_root())


def pytest_collection_modifyitems(items):
    """Leave out what needs a finished notebook; tests/test_notebooks.py runs those."""
    here = [item for item in items if item.path.parent == COURSE.root / "tests" / "checks"]
    for item in here:
        if judging.needs_notebook(item):
            items.remove(item)


@pytest.fixture(scope="module")
def student(request):
    exercise = next(e for e in COURSE.exercises if e.checks == request.path)
    lesson = COURSE.lesson_of(exercise)
    confinement, files = settings.confinement(COURSE.root), grading.public_files(lesson)
    with hosts.student_of_file(exercise.reference, confinement, files) as reference:
        yield reference
