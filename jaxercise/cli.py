"""The command line: each command reads its arguments, calls one room and prints.

It must not hold any logic of grading. Rooms are imported by the commands that need them: Jupyter
and nbgrader take two seconds, which "nothing has changed" should not.
"""

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from jaxercise import sandbox, settings, unchanged
from jaxercise.settings import Confinement, CourseError
from jaxercise.workers import default_workers

if TYPE_CHECKING:
    from jaxercise.course import Course

app = typer.Typer(
    help="Grade JAX exercises by what the answers do.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
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
    """Grade loose .py answers against the function checks of an exercise.

    In a student's copy, where no hidden checks are, the visible ones are run.
    """
    if (folder := _students_copy()) is not None:
        from jaxercise import visible

        raise typer.Exit(visible.check_files(folder, exercise, files, as_json))
    from jaxercise import classroom, report

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
def validate(
    notebooks: Annotated[list[Path], typer.Argument(help="Notebooks with answers.")],
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON a notebook.")] = False,
) -> None:
    """Run a student's notebook and its visible checks, before it is handed in.

    It runs without a sandbox, as in JupyterLab: for your own work only.
    """
    from jaxercise import validation

    fine = True
    for path in notebooks:
        try:
            found = validation.validate(path)
        except (ValueError, validation.NoVisibleChecks) as error:
            _stop(str(error))
        fine &= found.fine
        print((validation.as_json if as_json else validation.as_text)(path, found), flush=True)
    raise typer.Exit(0 if fine else 1)


@app.command()
def release(
    check_only: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if release/ is out of date.")
    ] = False,
) -> None:
    """Write the student version of every lesson into release/."""
    from jaxercise import release as releasing

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
    from jaxercise import reference

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
    from jaxercise import sample_class

    course = _course()
    try:
        for lesson in course.lessons:
            names = sample_class.build(course, lesson, students)
            print(f"{lesson.name}: wrote the work of {len(names)} sample students to submitted/.")
    except CourseError as error:
        _stop(str(error))


@app.command()
def grade(
    workers: Workers = 0,
    kind: Sandbox = None,
    scheduler: Annotated[
        str, typer.Option(help="Address of a Dask cluster that grades, such as tcp://host:8786.")
    ] = "",
    fresh: Annotated[bool, typer.Option(help="Grade again what has not changed, too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON a submission.")] = False,
) -> None:
    """Grade everything in submitted/: gradebook, autograded/, feedback/ and a table."""
    root = _root()
    state = unchanged.before(root, [str(kind), str(as_json)])
    if not fresh and (said := unchanged.last_words(root, state)) is not None:
        print(said)
        print("\nNothing has changed since these marks were given.", file=sys.stderr)
        return
    from jaxercise import classrun, sample_class

    course = _course()
    confinement = _confinement(course, kind, sample_class.is_ours(course))
    if not any((root / "submitted").glob("*/*/")):
        _stop("Nothing to grade: submitted/ holds no folder like submitted/STUDENT/LESSON/.")
    at_once = workers or default_workers()
    try:
        said = classrun.grade(course, classrun.Run(confinement, at_once, scheduler, as_json, fresh))
    except CourseError as error:
        _stop(str(error), code=1)
    except (ImportError, OSError) as error:
        if not scheduler:
            raise
        _stop(f"The cluster at {scheduler} cannot be used: {error}", code=1)
    except classrun.Interrupted as error:
        _stop(str(error), code=130)
    print(said)
    unchanged.keep(root, state, said)


@app.command("report")
def write_report(
    lesson: Annotated[str | None, typer.Argument(help="A lesson; all of them if left out.")] = None,
    to: Annotated[
        Path | None, typer.Option(help="The page's file, or a folder; else in .jaxercise/.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One line of JSON a lesson in place of the page.")
    ] = False,
) -> None:
    """Write a page about a graded class: what to teach again, marks, trouble, like answers."""
    from jaxercise import classreport, matching

    course = _course()
    try:
        found = classreport.reports(course, lesson)
        if as_json:
            for one in found:  # a student's name may hold half a character
                print(matching.writable(json.dumps(one.as_json(), ensure_ascii=False)))
            return
        for path in classreport.write(course, found, to):
            print(f"Wrote {path}: open it in a browser. It names students.")
    except CourseError as error:
        _stop(str(error), code=1)


@app.command("explain")
def explain_check(
    student: Annotated[str, typer.Argument(help="A student's folder in submitted/.")],
    check_id: Annotated[
        str, typer.Argument(metavar="CHECK", help="A check's id, or its title on a page.")
    ],
    lesson: Annotated[str, typer.Option(help="The check of this lesson.")] = "",
    exercise: Annotated[str, typer.Option(help="The check of this exercise.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON.")] = False,
    kind: Sandbox = None,
) -> None:
    """Show what a check asked of a student's answer, what came back, and what it expected."""
    from jaxercise import explain, explained, sample_class

    course = _course()
    try:
        question = explain.find(course, student, check_id, lesson, exercise)
    except CourseError as error:
        _stop(str(error))
    confinement = _confinement(course, kind, sample_class.is_ours(course))
    print("Running the notebook again; nothing is written.\n", file=sys.stderr, flush=True)
    try:
        found = explain.explain(course, question, confinement)
    except RuntimeError as error:
        _stop(str(error), code=1)
    print(explained.as_json(found) if as_json else explained.as_text(found))


@app.command()
def doctor() -> None:
    """Look over the installation and the course: what is wrong, and what mends it."""
    from jaxercise import doctor as doctors

    stops = False
    for finding in doctors.examine(_root()):
        print(doctors.as_text(finding), flush=True)
        stops |= finding.stops
    raise typer.Exit(1 if stops else 0)


@app.command(
    "proof",
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    add_help_option=False,
)
def prove(context: typer.Context) -> None:
    """Prove the checks by answers whose marks are known."""
    from jaxercise.proof.cli import app as proof

    proof(context.args, prog_name="jaxercise proof")


def _confinement(course: "Course", kind: str | None, harmless: bool = False) -> Confinement:
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


def _students_copy() -> Path | None:
    """The folder of a lesson that was handed out, if this is one: without a course's checks."""
    from jaxercise import visible

    try:
        if (settings.find_root() / "tests" / "checks").is_dir():
            return None
    except CourseError:
        pass
    try:
        return visible.lesson_folder(Path.cwd())
    except visible.NoVisibleChecks:
        return None


def _root() -> Path:
    try:
        return settings.find_root()
    except CourseError as error:
        _stop(str(error))


def _course() -> "Course":
    from jaxercise.course import load_course

    try:
        return load_course(_root())
    except CourseError as error:
        _stop(str(error))


def _stop(message: str, code: int = USAGE_ERROR) -> NoReturn:
    print(message, file=sys.stderr)
    raise typer.Exit(code)
