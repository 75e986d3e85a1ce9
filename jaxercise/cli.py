"""The command line: each command reads its arguments, calls one room and prints.

It must not hold any logic of grading.
"""

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from jaxercise import classroom, reference, report, sample_class, sandbox, settings
from jaxercise import release as releasing
from jaxercise.course import Course, CourseError, Lesson, find_root, load_course
from jaxercise.proof import cli as proof
from jaxercise.settings import Confinement
from jaxercise.workers import default_workers

app = typer.Typer(
    help="Grade JAX exercises by what the answers do.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(proof.app, name="proof")
Workers = Annotated[int, typer.Option(help="Processes at once; 0 means one a core.", min=0)]


class Kind(StrEnum):
    """Kinds of sandbox, as the command line knows them."""

    bubblewrap = "bubblewrap"
    process = "process"


Sandbox = Annotated[
    Kind | None,
    typer.Option("--sandbox", help="Where answers run; 'process' protects less: docs/trust.md."),
]
USAGE_ERROR = 2


@app.command()
def check(
    exercise: Annotated[str, typer.Argument(help="An exercise, such as 1-dropout-keys.")],
    files: Annotated[list[Path], typer.Argument(help="Python files that define the answers.")],
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON a file.")] = False,
    workers: Workers = 0,
    kind: Sandbox = None,
) -> None:
    """Grade loose .py answers against the function checks of an exercise."""
    course = _course()
    confinement = _confinement(course, kind)
    try:
        name = course.exercise(exercise).name
    except CourseError as error:
        _stop(str(error))
    for path in files:
        if not path.is_file():
            _stop(f"{path} is not a file that can be read.")
    all_full = True
    at_once = workers or default_workers()
    verdicts = classroom.check_files(course, name, files, at_once, confinement)
    weaker = {} if confinement.kind == Kind.bubblewrap else {"sandbox": confinement.kind}
    for path, verdict in zip(files, verdicts):
        all_full &= verdict.full_marks
        if as_json:
            line = {"file": str(path), **verdict.as_json(), **weaker}
            print(json.dumps(line, ensure_ascii=False), flush=True)
        else:
            score = f"{report.points(verdict.score)} of {report.points(verdict.max_score)}"
            print(f"{path}: {score}\n{report.as_lines(verdict.checks)}\n", flush=True)
    raise typer.Exit(0 if all_full else 1)


@app.command()
def release(
    check_only: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if release/ is out of date.")
    ] = False,
) -> None:
    """Write the student version of every lesson into release/."""
    course = _course()
    for lesson in course.lessons:
        if check_only:
            if stale := releasing.stale_files(course, lesson):
                _stop(f"release/{lesson.name} is out of date: {', '.join(stale)}", code=1)
            print(f"release/{lesson.name} is up to date.")
            continue
        try:
            folder = releasing.release(course, lesson)
        except CourseError as error:
            _stop(str(error), code=1)
        print(f"Students get what is in {folder.relative_to(course.root)}/.")


@app.command("reference")
def write_reference() -> None:
    """Extract the model solutions from the instructor's notebooks into reference/."""
    course = _course()
    for exercise in course.exercises:
        exercise.reference.parent.mkdir(exist_ok=True)
        exercise.reference.write_text(reference.module_source(exercise))
        print(f"wrote {exercise.reference.relative_to(course.root)}")


@app.command("class")
def make_class(
    students: Annotated[int, typer.Option(help="How many students.", min=1)] = 6,
) -> None:
    """Build a sample class in submitted/, which must be empty."""
    course = _course()
    try:
        for lesson in course.lessons:
            names = sample_class.build(course, lesson, students)
            print(f"{lesson.name}: wrote the work of {len(names)} sample students to submitted/.")
    except CourseError as error:
        _stop(str(error))


@app.command()
def grade(workers: Workers = 0, kind: Sandbox = None) -> None:
    """Grade everything in submitted/: gradebook, autograded/, feedback/ and a table."""
    course = _course()
    confinement = _confinement(course, kind, sample_class.is_ours(course))
    if not any((course.root / "submitted").glob("*/*/")):
        _stop("Nothing to grade: submitted/ holds no folder like submitted/STUDENT/LESSON/.")
    for lesson in course.lessons:
        _grade_lesson(course, lesson, workers or default_workers(), confinement)


def _grade_lesson(course: Course, lesson: Lesson, workers: int, confinement: Confinement) -> None:
    if not classroom.due_submissions(course, lesson):
        return
    try:
        classroom.prepare_gradebook(course, lesson)
    except CourseError as error:
        _stop(str(error), code=1)
    total = len(classroom.due_submissions(course, lesson))
    marked = []
    with _progress() as progress:
        task = progress.add_task(f"Grading {lesson.name}", total=total)
        for one in classroom.grade_class(course, lesson, workers, confinement):
            marked.append(one)
            progress.advance(task)
    with _progress() as progress:
        task = progress.add_task("Writing the gradebook and feedback", total=None)
        classroom.record(course, lesson, confinement)
        progress.update(task, total=1, completed=1)
    console = Console() if sys.stdout.isatty() else Console(width=120)
    console.print(report.class_table(lesson, marked, classroom.recorded_scores(course, lesson)))
    for one in sorted(marked, key=lambda m: (m.submission.student, m.submission.exercise)):
        for repair in one.repairs:
            print(f"note: {one.submission.student}, {one.submission.exercise}: {repair}")
    for student, why in classroom.doubts(course, lesson).items():
        print(f"note: {student}: {why}")
    print(
        f"\nMarks are in gradebook.db; look at feedback/STUDENT/{lesson.name}/*.html for what "
        "students will read,\nand open formgrader (`make lab`) to change or comment on a mark."
    )
    if confinement.kind != Kind.bubblewrap:
        print(f"\n{report.NO_SANDBOX}")


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=not sys.stderr.isatty(),
    )


def _confinement(course: Course, kind: str | None, harmless: bool = False) -> Confinement:
    """Where submissions will run, tried out. Only what is ``harmless`` goes on without a sandbox
    that nobody asked for."""
    confinement = settings.confinement(course.root, kind)
    try:
        sandbox.try_out(confinement)
    except sandbox.NoSandbox as error:
        if not harmless or kind is not None:
            _stop(str(error), code=1)
        print(
            f"{error}\nThis class is the sample that Jaxercise made itself, so it is graded "
            "without: --sandbox process.\n",
            file=sys.stderr,
        )
        confinement = settings.confinement(course.root, Kind.process)
    return confinement


def _course() -> Course:
    try:
        return load_course(find_root())
    except CourseError as error:
        _stop(str(error))


def _stop(message: str, code: int = USAGE_ERROR) -> NoReturn:
    print(message, file=sys.stderr)
    raise typer.Exit(code)
