"""Grades every lesson of a course and says what happens meanwhile and at the end.

It must not hold any logic of grading, nor write marks itself.
"""

import io
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from jaxercise import classroom, report
from jaxercise.classroom import Marked
from jaxercise.course import Course, Lesson
from jaxercise.settings import Confinement
from jaxercise.workers import ClusterLost

WIDTH = 120  # of the table where there is no terminal


@dataclass(frozen=True)
class Run:
    """How a class is to be graded.

    Attributes:
        workers: processes at once.
        scheduler: address of a Dask cluster to use in their place, or "".
        as_json: a line for each submission in place of the table.
        fresh: forget the verdicts that are kept.
    """

    confinement: Confinement
    workers: int
    scheduler: str = ""
    as_json: bool = False
    fresh: bool = False


class Interrupted(Exception):
    """Somebody pressed Ctrl-C, or the cluster was lost; the message says how to go on."""


def grade(course: Course, run: Run) -> str:
    """Grade all lessons that somebody handed in; returns what is to be printed.

    Raises:
        Interrupted: nothing was lost by it.
        CourseError: the gradebook could not be written.
    """
    said = [
        _grade_lesson(course, lesson, run)
        for lesson in course.lessons
        if classroom.due_submissions(course, lesson)
    ]
    return "\n".join(said)


def _grade_lesson(course: Course, lesson: Lesson, run: Run) -> str:
    due = classroom.due_submissions(course, lesson)
    if run.fresh:
        for student in {submission.student for submission in due}:
            shutil.rmtree(course.root / ".jaxercise" / "verdicts" / student / lesson.name, True)
    classroom.prepare_gradebook(course, lesson)
    marked: list[Marked] = []
    try:
        with _progress() as progress:
            show = _shower(progress, lesson, due)
            for one in classroom.grade_class(
                course, lesson, run.workers, run.confinement, run.scheduler
            ):
                marked.append(one)
                show(one)
    except (KeyboardInterrupt, ClusterLost) as stopped:
        why = f": {stopped}" if isinstance(stopped, ClusterLost) else ""
        raise Interrupted(
            f"Stopped{why}. {len(marked)} of {len(due)} notebooks of {lesson.name} are graded, and "
            "their verdicts are kept.\nThe gradebook is as it was. The same command goes on from "
            "here."
        ) from None
    try:
        with _progress() as progress:
            task = progress.add_task("Writing the gradebook and feedback", total=None, about="")
            classroom.record(course, lesson, run.confinement)
            progress.update(task, total=1, completed=1)
    except KeyboardInterrupt:
        raise Interrupted(
            f"Stopped while the marks of {lesson.name} were written. All verdicts are kept; the "
            "same command writes the rest."
        ) from None
    marked.sort(key=lambda one: (one.submission.student, one.submission.exercise))
    return _as_json(marked, run) if run.as_json else _as_text(course, lesson, marked, run)


def _as_json(marked: Sequence[Marked], run: Run) -> str:
    weaker = {} if run.confinement.kind == "bubblewrap" else {"sandbox": run.confinement.kind}
    return "\n".join(
        report.as_json_line(one.submission.student, one.verdict, one.repairs, weaker)
        for one in marked
    )


def _as_text(course: Course, lesson: Lesson, marked: Sequence[Marked], run: Run) -> str:
    terminal = Console()
    console = Console(
        file=io.StringIO(),
        width=terminal.width if sys.stdout.isatty() else WIDTH,
        force_terminal=sys.stdout.isatty(),
    )
    console.print(report.class_table(lesson, marked, classroom.recorded_scores(course, lesson)))
    lines = [console.file.getvalue().rstrip("\n")]  # type: ignore[attr-defined]
    for one in marked:
        for repair in one.repairs:
            lines.append(f"note: {one.submission.student}, {one.submission.exercise}: {repair}")
    lines += [
        f"note: {student}: {why}" for student, why in classroom.doubts(course, lesson).items()
    ]
    lines.append(
        f"\nMarks are in gradebook.db; look at feedback/STUDENT/{lesson.name}/*.html for what "
        "students will read,\nand open formgrader (`make lab`) to change or comment on a mark."
    )
    if run.confinement.kind != "bubblewrap":
        lines.append(f"\n{report.NO_SANDBOX}")
    return "\n".join(lines)


def _shower(progress: Progress, lesson: Lesson, due: Sequence) -> Callable[[Marked], None]:
    """What takes note of each submission that is done, for the bar."""
    left = Counter(submission.student for submission in due)
    students, trouble = len(left), 0
    task = progress.add_task(f"Grading {lesson.name}", total=len(due), about="")

    def show(one: Marked) -> None:
        nonlocal trouble
        left[one.submission.student] -= 1
        trouble += bool(one.repairs)
        finished = sum(count == 0 for count in left.values())
        speed = progress.tasks[task].finished_speed or progress.tasks[task].speed
        about = f"{finished} of {students} students"
        about += f", {60 * speed:.0f} a minute" if speed else ""
        about += f", {trouble} with trouble" if trouble else ""
        progress.update(task, advance=1, about=about)

    return show


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[about]}"),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=not sys.stderr.isatty(),
    )
