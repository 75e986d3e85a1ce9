"""Commands that prove the checks: ``jaxercise proof answers``, ``mutants``, ``run`` and others.

It reads arguments, calls one room and prints; it must not hold any logic of grading.
"""

import os
import platform
import subprocess
import time
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from jaxercise import classroom, settings
from jaxercise.course import Course, load_course
from jaxercise.proof import mutation, report, results, rounds, scheme, stored
from jaxercise.proof.mutation import Mutant
from jaxercise.proof.rounds import Grading
from jaxercise.proof.stored import StoredAnswer
from jaxercise.settings import CourseError, find_root
from jaxercise.verdict import Verdict

app = typer.Typer(help="Prove the checks by answers whose marks are known.", no_args_is_help=True)
Which = Annotated[str | None, typer.Argument(help="An exercise; all of them if left out.")]
Only = Annotated[str, typer.Option(help="Only answers whose name matches, such as '*key*'.")]
Times = Annotated[int, typer.Option(help="How often each is graded.", min=1)]
REPORT = Path("docs", "proof.md")
OFTEN = 20  # gradings of what depends on chance or on time


@app.command()
def answers(
    which: Which = None,
    only: Only = "*",
    times: Times = 1,
    busy: Annotated[bool, typer.Option(help="Keep all cores busy in every second round.")] = False,
) -> None:
    """Grade the stored answers and say where a verdict is not what the answer's header says."""
    course, wrong = _course(), 0
    for exercise in _exercises(course, which):
        cases = _stored(course, exercise, only)
        for round in range(times):
            for case, grading in _graded(course, exercise, cases, round, busy and round % 2 == 1):
                found = stored.differences(case, grading.verdict)
                wrong += bool(found)
                for line in found:
                    print(f"{exercise}/{grading.answer}, round {round}: {line}", flush=True)
        print(f"{exercise}: {len(cases)} answers graded", flush=True)
    raise typer.Exit(1 if wrong else 0)


@app.command()
def told(which: Which = None, only: Only = "*") -> None:
    """Show what the stored wrong answers are told, for a person to read."""
    course = _course()
    for exercise in _exercises(course, which):
        wrong = [case for case in _stored(course, exercise, only) if not case.right]
        for case, grading in _graded(course, exercise, wrong):
            print(f"\n{grading.answer}: {case.what}\n  {_summary(grading.verdict)}")
            for check in grading.verdict.checks:
                if not check.passed:
                    print(f"  - {check.id} [{check.mistake}] {check.message}", flush=True)


@app.command()
def mutants(which: Which = None, only: Only = "*") -> None:
    """Change the model solutions in small ways and say which changes no check fails."""
    course, unknown = _course(), 0
    for exercise in _exercises(course, which):
        made = [m for m in _mutants(course, exercise) if fnmatch(m.change, only)]
        reasons, survivors = _reasons(course, exercise), []
        for grading in _graded_mutants(course, exercise, made):
            if grading.verdict.full_marks:
                survivors.append(grading.answer)
                print(f"{exercise} survives: {grading.answer}")
                print(f"    {reasons.get(grading.answer, 'no reason is given')}", flush=True)
        done = report.Mutants(len(made), len(made), survivors, reasons)
        unknown += len(done.open)
        print(
            f"{exercise}: {done.made} mutants, {done.made - len(survivors)} killed, "
            f"{len(done.equivalent)} right all the same, {len(done.open)} survive",
            flush=True,
        )
        for name in reasons.keys() - {m.change for m in _mutants(course, exercise)}:
            print(f"{exercise}: tests/mutants names a mutant that is not made: {name}")
    raise typer.Exit(1 if unknown else 0)


@app.command()
def run(
    times: Times = 3,
    often: Annotated[
        list[str] | None, typer.Option(help=f"An exercise to grade {OFTEN} times; may be repeated.")
    ] = None,
) -> None:
    """Grade all stored answers several times and all mutants once, and write docs/proof.md.

    Every second round keeps all cores busy with other work. A run that was stopped goes on.
    """
    course = _course()
    names = {name for which in often or [] for name in _exercises(course, which)}
    for exercise in _exercises(course, None):
        print(f"{exercise}: mutants", flush=True)
        for _ in _graded_mutants(course, exercise, _mutants(course, exercise)):
            pass
    for round in range(max(times, OFTEN) if names else times):
        for exercise in _exercises(course, None):
            if round < times or exercise in names:
                began = time.monotonic()
                cases = _stored(course, exercise)
                for _ in _graded(course, exercise, cases, round, round % 2 == 1):
                    pass
                print(f"{exercise}: round {round}, {time.monotonic() - began:.0f} s", flush=True)
    write_report()


@app.command("report")
def write_report() -> None:
    """Write docs/proof.md from what has been graded so far, and keep that beside it."""
    course = _course()
    journal = list(rounds.read(course.root))
    figures, of_mutants, counted = {}, {}, []
    for exercise in _exercises(course, None):
        cases, made = _stored(course, exercise), _mutants(course, exercise)
        state = rounds.state_by(course, exercise)
        states = {state(case.path.read_text()): case.name for case in cases}
        gradings = _latest(journal, states)
        figures[exercise] = report.figures(cases, gradings)
        changed = {state(mutant.source): mutant.change for mutant in made}
        graded = _latest(journal, changed)
        alive = sorted({g.answer for g in graded if g.verdict.full_marks})
        count = len({g.answer for g in graded})
        counted += [*gradings, *graded]
        of_mutants[exercise] = report.Mutants(len(made), count, alive, _reasons(course, exercise))
    about = {
        "date": time.strftime("%Y-%m-%d"),
        "commit": _commit(course.root),
        "versions of JAX": ", ".join(sorted({v for f in figures.values() for v in f.gradings})),
        "machine": f"{platform.system()}, {platform.machine()}, {os.cpu_count()} cores",
    }
    (course.root / REPORT).write_text(report.page(about, figures, of_mutants))
    rounds.keep(course.root, counted)
    print(f"wrote {REPORT} and {rounds.EVIDENCE}")


def _commit(root: Path) -> str:
    """What the checks and the engine were, as git has it."""
    asked = ["git", "-C", str(root), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _latest(journal: list[Grading], states: dict[str, str]) -> list[Grading]:
    """The gradings of these states, one for each occasion, under the names they have now."""
    found = {g.occasion: g for g in journal if g.state in states}
    return [
        Grading(**{**vars(grading), "answer": states[grading.state]}) for grading in found.values()
    ]


@app.command("scheme")
def write_scheme(
    check_only: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if it is out of date.")
    ] = False,
) -> None:
    """Write the mark scheme's tables into docs/marking.md."""
    course = _course()
    now, due = scheme.document(course)
    if check_only and now != due:
        _stop(f"{scheme.DOCUMENT} is out of date: run jaxercise proof scheme")
    if not check_only:
        (course.root / scheme.DOCUMENT).write_text(due)
    print(f"{scheme.DOCUMENT} is up to date.")


def _summary(verdict: Verdict) -> str:
    lost = ", ".join(c.id for c in verdict.checks if not c.passed)
    return (
        f"{verdict.score:g} of {verdict.max_score:g} ({verdict.score / verdict.max_score:.0%}), "
        f"told: {', '.join(sorted(stored.told(verdict))) or stored.NONE_NAMED}; loses: {lost}"
    )


def _graded(
    course: Course,
    exercise: str,
    cases: list[StoredAnswer],
    round: int = 0,
    busy: bool = False,
) -> Iterator[tuple[StoredAnswer, Grading]]:
    confinement = settings.confinement(course.root)
    for judge in (classroom.check_files, results.check_results):
        group = [case for case in cases if case.results == (judge is results.check_results)]
        texts = [(case.name, case.path.read_text()) for case in group]
        yield from zip(
            group, rounds.grade(course, exercise, texts, confinement, round, busy, judge)
        )


def _graded_mutants(course: Course, exercise: str, made: list[Mutant]) -> Iterator[Grading]:
    texts = [(mutant.change, mutant.source) for mutant in made]
    return rounds.grade(course, exercise, texts, settings.confinement(course.root))


def _stored(course: Course, exercise: str, only: str = "*") -> list[StoredAnswer]:
    try:
        cases = stored.read_answers(course.root / "tests" / "answers" / exercise)
    except stored.BadHeader as error:
        _stop(str(error))
    return [case for case in cases if fnmatch(case.path.stem, only)]


def _mutants(course: Course, exercise: str) -> list[Mutant]:
    return mutation.mutants(course.exercise(exercise).reference.read_text())


def _reasons(course: Course, exercise: str) -> dict[str, str]:
    """Mutants that a person has read and found to be right answers, with the reason."""
    path = course.root / "tests" / "mutants" / f"{exercise}.toml"
    return tomllib.loads(path.read_text()) if path.exists() else {}


def _course() -> Course:
    try:
        return load_course(find_root())
    except CourseError as error:
        _stop(str(error))


def _exercises(course: Course, which: str | None) -> list[str]:
    if which is None:
        return [exercise.name for exercise in course.exercises]
    try:
        return [course.exercise(which).name]
    except CourseError as error:
        _stop(str(error))


def _stop(why: str) -> NoReturn:
    typer.echo(why, err=True)
    raise typer.Exit(2)
