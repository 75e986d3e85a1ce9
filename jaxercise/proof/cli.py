"""Commands that prove the checks: ``jaxercise proof answers`` and ``jaxercise proof mutants``.

It reads arguments, calls one room and prints; it must not hold any logic of grading.
"""

import fnmatch
import tomllib
from pathlib import Path
from typing import Annotated

import typer

from jaxercise import settings
from jaxercise.course import Course, CourseError, find_root, load_course
from jaxercise.proof import mutation, rounds, stored
from jaxercise.verdict import Verdict

app = typer.Typer(help="Prove the checks by answers whose marks are known.", no_args_is_help=True)
Which = Annotated[str | None, typer.Argument(help="An exercise; all of them if left out.")]
Only = Annotated[str, typer.Option(help="Only answers whose file name matches, such as '*key*'.")]


@app.command()
def answers(which: Which = None, only: Only = "*", times: int = 1, busy: bool = False) -> None:
    """Grade the stored answers and say where a verdict is not what the answer's header says."""
    course, wrong = load_course(find_root()), 0
    for exercise in _exercises(course, which):
        folder = course.root / "tests" / "answers" / exercise
        cases = [a for a in stored.read_answers(folder) if fnmatch.fnmatch(a.path.stem, only)]
        texts = [(f"{a.path.parent.name}/{a.path.name}", a.path.read_text()) for a in cases]
        for round in range(times):
            done = rounds.grade(
                course, exercise, texts, settings.confinement(course.root), round, busy
            )
            for case, grading in zip(cases, done):
                found = stored.differences(case, grading.verdict)
                wrong += bool(found)
                for line in found:
                    print(f"{exercise}/{grading.answer}: {line}", flush=True)
        print(f"{exercise}: {len(cases)} answers graded", flush=True)
    raise typer.Exit(1 if wrong else 0)


@app.command()
def mutants(which: Which = None, only: Only = "*") -> None:
    """Change the model solutions in small ways and say which changes no check fails."""
    course, unknown = load_course(find_root()), 0
    for exercise in _exercises(course, which):
        found = [
            m
            for m in mutation.mutants(course.exercise(exercise).reference.read_text())
            if fnmatch.fnmatch(m.change, only)
        ]
        reasons = equivalent(course.root, exercise)
        texts = [(mutant.change, mutant.source) for mutant in found]
        survivors = []
        for grading in rounds.grade(course, exercise, texts, settings.confinement(course.root)):
            if grading.verdict.full_marks:
                survivors.append(grading.answer)
                print(f"{exercise} survives: {grading.answer}", flush=True)
                print(f"    {reasons.get(grading.answer, 'no reason is given')}", flush=True)
        open_ones = [name for name in survivors if name not in reasons]
        unknown += len(open_ones)
        print(
            f"{exercise}: {len(found)} mutants, {len(found) - len(survivors)} killed, "
            f"{len(survivors) - len(open_ones)} equivalent, {len(open_ones)} survive",
            flush=True,
        )
    raise typer.Exit(1 if unknown else 0)


@app.command()
def told(which: Which = None, only: Only = "*") -> None:
    """Show what the stored wrong answers are told, for a person to read."""
    course = load_course(find_root())
    for exercise in _exercises(course, which):
        folder = course.root / "tests" / "answers" / exercise
        cases = [a for a in stored.read_answers(folder) if fnmatch.fnmatch(a.path.stem, only)]
        texts = [(f"{a.path.parent.name}/{a.path.name}", a.path.read_text()) for a in cases]
        done = rounds.grade(course, exercise, texts, settings.confinement(course.root))
        for case, grading in zip(cases, done):
            print(f"\n{grading.answer}: {case.what}\n  {_summary(grading.verdict)}")
            for check in grading.verdict.checks:
                if not check.passed:
                    print(f"  - {check.id} [{check.mistake}] {check.message}", flush=True)


def _summary(verdict: Verdict) -> str:
    lost = ", ".join(c.id for c in verdict.checks if not c.passed)
    return (
        f"{verdict.score:g} of {verdict.max_score:g} ({verdict.score / verdict.max_score:.0%}), "
        f"told: {', '.join(sorted(stored.told(verdict))) or stored.NONE_NAMED}; loses: {lost}"
    )


def equivalent(root: Path, exercise: str) -> dict[str, str]:
    """Mutants that a person has read and found to be right answers, with the reason."""
    path = root / "tests" / "mutants" / f"{exercise}.toml"
    return tomllib.loads(path.read_text()) if path.exists() else {}


def _exercises(course: Course, which: str | None) -> list[str]:
    if which is None:
        return [exercise.name for exercise in course.exercises]
    try:
        return [course.exercise(which).name]
    except CourseError as error:
        raise typer.BadParameter(str(error)) from error
