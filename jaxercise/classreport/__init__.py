"""The class report: one page for an instructor who decides what to teach again.

``gathering`` reads what grading left behind, ``similarity`` finds answers that are alike,
``figures`` counts, ``page`` writes. None of it may grade anything, give a mark or run an answer.
"""

from pathlib import Path

from jaxercise import kept
from jaxercise.classreport import page
from jaxercise.classreport.data import ClassReport
from jaxercise.classreport.figures import class_report
from jaxercise.classreport.gathering import gather, is_graded
from jaxercise.course import Course
from jaxercise.settings import CourseError

__all__ = ["ClassReport", "reports", "write"]


def reports(course: Course, lesson: str | None = None) -> list[ClassReport]:
    """A report on one lesson, or on each that somebody's work was graded of.

    Raises:
        CourseError: there is no such lesson, or nothing of it was graded.
    """
    names = [known.name for known in course.lessons]
    if lesson is not None and lesson not in names:
        raise CourseError(
            f"There is no lesson named '{lesson}'. The lessons are: {', '.join(names)}."
        )
    graded = [known for known in course.lessons if is_graded(course, known)]
    wanted = [known for known in graded if lesson in (None, known.name)]
    if not wanted:
        of = f" of {lesson}" if lesson else ""
        raise CourseError(f"There is nothing to report on: no work{of} was graded here yet.")
    return [class_report(known, gather(course, known)) for known in wanted]


def write(course: Course, found: list[ClassReport], to: Path | None) -> list[Path]:
    """Write a page for each report: to the file ``to``, or under their usual names into the folder
    ``to`` or ``.jaxercise/``.

    Raises:
        CourseError: several pages were to go into one file, or a page cannot be written.
    """
    folder = to if to is not None and to.is_dir() else course.root / ".jaxercise"
    to = None if to is not None and to.is_dir() else to
    if to is not None and len(found) > 1:
        names = ", ".join(report.lesson for report in found)
        raise CourseError(f"{to} can hold one lesson only; say which, or name a folder: {names}.")
    written = []
    for report in found:
        path = to or folder / f"report-{report.lesson}.html"
        try:
            kept.write_whole(path, page.page(report))
        except OSError as error:
            raise CourseError(f"{path} cannot be written: {error.strerror}.") from error
        written.append(path)
    return written
