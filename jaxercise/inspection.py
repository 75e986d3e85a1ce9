"""Looks over a course for ``jaxercise doctor``: its files, gradebook, exchange and submissions.

It must change nothing, and must not run what students wrote.
"""

import os
import shlex
import traceback
import warnings
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from alembic.script import ScriptDirectory
from nbgrader.coursedir import CourseDirectory
from nbgrader.dbutil import ALEMBIC_DIR
from nbgrader.utils import check_directory
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from jaxercise import reference, settings
from jaxercise import release as releasing
from jaxercise.course import Course, Lesson, load_course, read_notebook
from jaxercise.doctor import Finding, good, note, wrong
from jaxercise.settings import CONFIG, CourseError

USUAL_EXCHANGE = Path("/usr/local/share/nbgrader/exchange")  # nbgrader's default
MANY = 10  # names in one line; the others are counted


def configuration(root: Path) -> Iterator[Finding]:
    """Whether ``nbgrader_config.py`` can be read, and holds no setting that does not exist."""
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            settings.ours(root).confinement()
    except Exception as error:  # it is a program of the instructor's
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename.endswith(CONFIG)]
        where = f"line {lines[-1]} of {CONFIG}" if lines else CONFIG
        yield wrong(f"{CONFIG} cannot be read: {_said(error)}", f"correct {where}")
        return
    misspelt = [str(w.message) for w in warned if "not recognized" in str(w.message)]
    for said in misspelt:  # traitlets says what may have been meant
        yield note(f"{CONFIG}: {said}", f"correct {CONFIG}")
    if not misspelt:
        yield good(f"{CONFIG} can be read")


def course(root: Path) -> Iterator[Finding]:
    """All of a course whose configuration can be read."""
    try:
        found = load_course(root)
    except Exception as error:  # whatever is in the files
        yield from _unreadable(root, error)
    else:
        if not found.exercises:
            cure = "write one: docs/authoring.md"
            yield wrong("source/ holds no lesson with a graded cell", cure)
        for lesson in found.lessons:
            yield from source(found, lesson)
        yield from solutions(found)
        yield from submitted(found)
    yield from gradebook(root)
    yield from exchange(root)


def _unreadable(root: Path, error: Exception) -> Iterator[Finding]:
    bad = False
    for path in sorted((root / "source").glob("*/*.ipynb")):
        try:
            read_notebook(path)
        except Exception as of_one:
            bad, name = True, path.relative_to(root)
            cure = f"git checkout -- {shlex.quote(str(name))}   (or restore it from a copy)"
            yield wrong(f"{name} cannot be read: {_said(of_one)}", cure)
    if not bad:
        yield wrong(f"source/ cannot be read: {_said(error)}", "correct source/: docs/authoring.md")


def source(course: Course, lesson: Lesson) -> Iterator[Finding]:
    """Whether a lesson can be released, and has been."""
    try:
        problems = list(releasing.find_problems(lesson))
    except Exception as error:  # a module of checks is a program, too
        problems = [_said(error)]
    for problem in problems:
        yield wrong(
            f"{lesson.name}: {problem}",
            f"correct source/{lesson.name}/ or tests/checks/, then: make release",
        )
    if problems:
        return
    points = sum(exercise.points for exercise in lesson.exercises)
    number = len(lesson.exercises)
    yield good(f"{lesson.name}: {number} exercises with checks for all of their {points:g} points")
    if not (course.root / "release" / lesson.name).is_dir():
        yield wrong(f"release/{lesson.name} has not been made", "make release")
        return
    try:
        stale = releasing.stale_files(course, lesson)
    except CourseError as error:
        yield wrong(f"{lesson.name} cannot be released: {error}", "make release   (says more)")
        return
    if stale:
        yield wrong(f"release/{lesson.name} is out of date: {_some(stale)}", "make release")
    else:
        yield good(f"release/{lesson.name} is up to date")


def solutions(course: Course) -> Iterator[Finding]:
    """Whether ``reference/`` is what the notebooks say."""
    stale = []
    for exercise in course.exercises:
        try:
            current = exercise.reference.read_text() == reference.module_source(exercise)
        except FileNotFoundError:
            current = False
        except SyntaxError as error:
            yield wrong(f"The solution in {exercise.notebook.name}: {_said(error)}", "correct it")
            continue
        if not current:
            stale.append(exercise.reference.name)
    if stale:
        yield wrong(f"reference/ is out of date: {_some(stale)}", "make reference")
    else:
        yield good("reference/ is up to date")


def gradebook(root: Path) -> Iterator[Finding]:
    """Whether the gradebook can be opened, and by this nbgrader. It is only read."""
    file = settings.gradebook_file(root)
    name = file.name if file else "The gradebook"
    if file and not file.exists():
        yield good("There is no gradebook yet; `make grade` makes it")
        return
    if file and not (os.access(file, os.R_OK | os.W_OK) and os.access(file.parent, os.W_OK)):
        yield wrong(f"{name}, or its folder, cannot be written", f"chmod u+rw {shlex.quote(name)}")
        return
    try:
        versions = _schema(CourseDirectory(config=settings.read_config(root)).db_url)
    except (SQLAlchemyError, ImportError, ValueError) as error:
        why = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        yield wrong(
            f"{name} cannot be opened: {why}",
            "restore a copy; or move it away, and `make grade` makes one without hand-given marks"
            if file
            else f"start its server, or correct c.CourseDirectory.db_url in {CONFIG}",
        )
        return
    scripts = ScriptDirectory(ALEMBIC_DIR)
    if versions is None or versions == [scripts.get_current_head()]:
        yield good(f"{name} can be opened, and its schema is nbgrader's")
    elif {r.revision for r in scripts.walk_revisions()}.issuperset(versions):
        yield wrong(f"{name} was made by an older nbgrader", "nbgrader db upgrade")
    else:
        cure = "install the nbgrader that made it, or a newer one"
        yield wrong(f"{name} was made by a newer nbgrader ({', '.join(versions)})", cure)


def _schema(url: str) -> list[str] | None:
    """The versions that a database says it has; None for an empty one.

    Raises:
        ValueError: it is damaged.
    """
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            if engine.dialect.name == "sqlite":
                said = connection.execute(text("PRAGMA quick_check(1)")).scalar()
                if said != "ok":
                    raise ValueError(said)
            tables = inspect(connection).get_table_names()
            if not tables:
                return None
            if "alembic_version" not in tables:
                return []
            return list(
                connection.execute(text("SELECT version_num FROM alembic_version")).scalars()
            )
    finally:
        engine.dispose()


def exchange(root: Path) -> Iterator[Finding]:
    """Whether nbgrader's exchange can be used, where this course's configuration names one."""
    configured = settings.read_config(root).Exchange.get("root", "")
    folder = Path(str(configured)) if configured else USUAL_EXCHANGE
    if not configured and not folder.is_dir():
        yield note("There is no exchange directory: work is collected by hand into submitted/")
    elif check_directory(str(folder), read=True, write=True, execute=True):
        yield good(f"The exchange {folder} can be written")
    else:
        path = shlex.quote(str(folder))
        is_there = "cannot be written" if folder.is_dir() else "is not there"
        cure = f"sudo mkdir -p {path} && sudo chmod ugo+rwx {path}"
        yield wrong(f"The exchange directory {folder} {is_there}", cure)


def submitted(course: Course) -> Iterator[Finding]:
    """Folders in ``submitted/`` that nobody would be graded from."""
    names = [lesson.name for lesson in course.lessons]
    top = course.root / "submitted"
    students = [f for f in top.glob("*") if f.is_dir() and not f.name.startswith(".")]
    links, loose, strange, empty = [], [], [], []
    for student in sorted(students):
        if student.is_symlink():
            links.append(student)
            continue
        try:
            folders = sorted(folder for folder in student.iterdir() if folder.is_dir())
        except OSError as error:
            yield note(
                f"{student.relative_to(course.root)}: {error.strerror}", "chmod -R u+rX submitted"
            )
            continue
        strange += [folder for folder in folders if folder.name not in names]
        empty += [f for f in folders if f.name in names and not any(f.rglob("*.ipynb"))]
        loose += [student] if not folders else []
    for folder in strange[:MANY]:
        close = get_close_matches(folder.name.lower(), names, 1)
        new = folder.with_name(close[0] if close else "LESSON")
        moved = [str(path.relative_to(course.root)) for path in (folder, new)]
        cure = shlex.join(["mv", *moved]) if not new.exists() else f"look at both, {moved[1]} too"
        yield note(f"{moved[0]} has no lesson's name and is not graded", cure)
    if len(strange) > MANY:
        yield note(f"and {len(strange) - MANY} more folders without a lesson's name")
    for folders, what, cure in (
        (links, "Links in submitted/ are not followed", "copy what they lead to"),
        (loose, "No folder of a lesson in", "put the work into submitted/STUDENT/LESSON/"),
        (empty, "No notebook in", "collect again, or ask the student"),
    ):
        if folders:
            yield note(f"{what}: {_some([str(f.relative_to(top)) for f in folders])}", cure)
    if not (links or loose or strange or empty):
        holds = f"holds the work of {len(students)} students" if students else "is empty"
        yield good(f"submitted/ {holds}")


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - MANY} more" if len(names) > MANY else ""
    return ", ".join(names[:MANY]) + more


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
