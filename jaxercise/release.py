"""Makes the student version of a lesson, and refuses what would leak or break it.

nbgrader writes the files; this module looks at the source first. It must not know about grading.
"""

import filecmp
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from nbgrader.converters import GenerateAssignment

from jaxercise import gradebook, judging
from jaxercise.course import (
    Course,
    Exercise,
    Lesson,
    is_answer,
    nbgrader_metadata,
    read_notebook,
)
from jaxercise.settings import CourseError

MARKER = re.compile(r"^\s*#+\s*(begin|end)\b\s*(.*?)\s*$", re.IGNORECASE)
REGIONS = ("SOLUTION", "HIDDEN TESTS")


def release(course: Course, lesson: Lesson) -> Path:
    """Write ``release/<lesson>`` and the lesson's cells into the gradebook.

    Returns:
        The folder that students get.

    Raises:
        CourseError: the source has a mistake that would reach students; all are named.
    """
    problems = list(find_problems(lesson))
    if problems:
        raise CourseError("\n".join([f"'{lesson.name}' cannot be released:", *problems]))
    gradebook.convert(GenerateAssignment, course.root, lesson.name)
    return course.root / "release" / lesson.name


def stale_files(course: Course, lesson: Lesson) -> list[str]:
    """Names of released files that differ from what the source would give now."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        shutil.copytree(lesson.folder, copy / "source" / lesson.name)
        shutil.copy(course.root / gradebook.CONFIG, copy)
        gradebook.convert(GenerateAssignment, copy, lesson.name)
        fresh, kept = copy / "release" / lesson.name, course.root / "release" / lesson.name
        names = {str(p.relative_to(folder)) for folder in (fresh, kept) for p in files_in(folder)}
        _, differ, missing = filecmp.cmpfiles(fresh, kept, sorted(names), shallow=False)
        return sorted(differ + missing)


def files_in(folder: Path) -> list[Path]:
    """All files of a lesson's folder, but for those that running it leaves behind."""
    left = ("__pycache__", ".ipynb_checkpoints")
    return sorted(p for p in folder.rglob("*") if p.is_file() and not set(left) & set(p.parts))


def find_problems(lesson: Lesson) -> Iterator[str]:
    """Everything in a lesson's source that must not be released."""
    for path in files_in(lesson.folder):
        notebook = path.suffix == ".ipynb" and path.parent == lesson.folder
        if not notebook and path not in lesson.public_files:
            name = path.relative_to(lesson.folder)
            yield f"{name}: not in c.Jaxercise.public_files, and would reach students"
    for path in lesson.public_files:
        if not path.is_file():
            yield f"{path.name}: in c.Jaxercise.public_files, but not there"
    seen: dict[str, str] = {}
    for exercise in lesson.exercises:
        yield from _notebook_problems(exercise, seen)
        yield from _points_problems(exercise)


def _notebook_problems(exercise: Exercise, seen: dict[str, str]) -> Iterator[str]:
    here: set[str] = set()
    for index, cell in enumerate(read_notebook(exercise.notebook).cells):
        meta = nbgrader_metadata(cell)
        where = f"{exercise.notebook.name}, cell {meta.get('grade_id') or index + 1}"
        if (grade_id := meta.get("grade_id")) is not None:
            if grade_id in here:
                yield f"{where}: the grade id is used twice in this notebook"
            elif meta.get("grade") and grade_id in seen:  # grade("id") must find one exercise
                yield f"{where}: the graded cell's id is also used in {seen[grade_id]}"
            here.add(grade_id)
            seen |= {grade_id: exercise.notebook.name} if meta.get("grade") else {}
        yield from (f"{where}: {problem}" for problem in marker_problems(cell.source))
        if "BEGIN SOLUTION" in cell.source and not is_answer(cell):
            yield f"{where}: holds a solution but is not an answer cell"
        if (
            "grade(" in cell.source
            and "BEGIN HIDDEN TESTS" not in cell.source
            and meta.get("grade")
        ):
            yield f"{where}: its call of grade() does not stand in a hidden region"


def marker_problems(source: str) -> Iterator[str]:
    """Unknown, misspelt, unbalanced or nested region markers in a cell."""
    open_region = None
    for number, line in enumerate(source.splitlines(), start=1):
        match = MARKER.match(line)
        if match is None:
            if re.search(r"\b(BEGIN|END)\s+(SOL|HID|TEST|MARK)", line):
                yield f"line {number} mentions a marker but is none: {line.strip()!r}"
            continue
        edge, region = match[1].upper(), match[2]
        if line.strip() != f"### {edge} {region}" or region not in REGIONS:
            yield f"line {number} is no marker that we know: {line.strip()!r}"
        elif edge == "BEGIN":
            if open_region:
                yield f"line {number} begins {region} inside {open_region}"
            open_region = region
        elif open_region != region:
            yield f"line {number} ends {region}, which was not begun"
            open_region = None
        else:
            open_region = None
    if open_region:
        yield f"{open_region} is begun and not ended"


def _points_problems(exercise: Exercise) -> Iterator[str]:
    """A cell whose checks are not worth what nbgrader will show for it."""
    if not exercise.checks.exists():
        yield f"{exercise.name}: no checks in tests/checks/{exercise.checks.name}"
        return
    due = judging.judge(exercise.name, exercise.checks, None).checks
    for cell in exercise.cells:
        total = sum(check.points for check in due if check.cell == cell.grade_id)
        if abs(total - cell.points) > 1e-9:
            yield f"{exercise.name}, {cell.grade_id}: {cell.points:g} points, checks for {total:g}"
    cells = {cell.grade_id for cell in exercise.cells}
    for check in due:
        if check.cell not in cells:
            yield f"{exercise.name}: check '{check.id}' belongs to no graded cell ('{check.cell}')"
