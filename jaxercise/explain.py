"""Shows an instructor how one check came to its verdict on one student's answer: what it asked,
what came back, and what it expected.

Nothing is stored for this: the submission is restored and run again as when it was graded, with
one check. Nothing is written either, so none of it can reach a student's page. It must not know
how an explanation is shown.
"""

import copy
import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from jaxercise import classroom, grading, judging, kept, kernels
from jaxercise.classroom import Submission
from jaxercise.course import Course, Exercise, Lesson
from jaxercise.recording import Exchange, Tape, recorded
from jaxercise.settings import Confinement, CourseError
from jaxercise.summaries import harmless
from jaxercise.verdict import CheckResult, Verdict
from jaxercise.witness import Frame, Witness

MAX_NAMES = 40  # listed where one was not found


@dataclass(frozen=True)
class Question:
    """Which check of whose answer."""

    lesson: Lesson
    exercise: Exercise
    check: CheckResult
    submission: Submission


@dataclass(frozen=True)
class Explanation:
    """What there is to say about one check.

    Attributes:
        seen: the check's result, now.
        ran: whether there was a notebook to run.
        alone: whether the check was judged alone, or after those before it.
        alone_passed: what it said alone, if it was then judged after the others.
        where: the check's file and line.
        kept: its result in the verdict that is kept, if one is.
        kept_is_of_this: whether that verdict was made from exactly what is there now.
        exchanges: the first and the last requests and replies.
        requests: how many there were.
        frames: where it failed, with the values there.
        notes: what was mended in the notebook, what went wrong when it ran.
    """

    student: str
    lesson: str
    exercise: str
    seen: CheckResult
    ran: bool
    alone: bool
    alone_passed: bool
    where: str
    kept: CheckResult | None
    kept_is_of_this: bool
    exchanges: tuple[Exchange, ...]
    requests: int
    frames: tuple[Frame, ...]
    notes: tuple[str, ...]

    @property
    def agrees(self) -> bool | None:
        """Whether the check says what the kept verdict says; None if none is kept."""
        return None if self.kept is None else _same(self.seen, self.kept)


def _same(one: CheckResult, other: CheckResult) -> bool:
    """Whether two results are the same but for the words: those may hold times and numbers."""
    return (one.passed, one.mistake) == (other.passed, other.mistake)


def find(
    course: Course, student: str, check: str, lesson: str = "", exercise: str = ""
) -> Question:
    """Look up a student and a check, by its id or by its title.

    Args:
        lesson: only this lesson, if given.
        exercise: only this exercise, by its whole name or without the leading number.

    Raises:
        CourseError: there is no such thing, or more than one; the message lists what there is.
    """
    lessons = [one for one in course.lessons if lesson in ("", one.name)]
    if not lessons:
        raise _unknown("lesson", lesson, [one.name for one in course.lessons])
    exercises = [(one, e) for one in lessons for e in one.exercises]
    among = [pair for pair in exercises if exercise in _names_of(pair[1])]
    if not among:
        raise _unknown("exercise", exercise, [e.name for _, e in exercises])
    due = [(one, e, c) for one, e in among for c in grading.due_checks(e).checks]
    found = [(one, e, c) for one, e, c in due if _is_called(c, check)]
    if not found:
        raise _unknown("check", check, [c.id for _, _, c in due])
    if len(found) > 1:
        places = ", ".join(f"{c.id} of {e.name} ({one.name})" for one, e, c in found)
        raise CourseError(
            f"'{harmless(check)}' is the name of several checks: {places}. Say which with "
            "--exercise, with --lesson, or by its id."
        )
    its_lesson, its_exercise, its_check = found[0]
    submissions = _submissions(course, its_lesson)
    if (student, its_exercise.name) not in submissions:
        names = list(dict.fromkeys(name for name, _ in submissions))
        raise _unknown("student", student, names, f" in submitted/ for {its_lesson.name}")
    submission = submissions[student, its_exercise.name]
    return Question(its_lesson, its_exercise, its_check, submission)


def _submissions(course: Course, lesson: Lesson) -> dict[tuple[str, str], Submission]:
    if not (course.root / "submitted").is_dir():
        return {}
    due = classroom.due_submissions(course, lesson)
    return {(one.student, one.exercise): one for one in due}


def _names_of(exercise: Exercise) -> tuple[str, ...]:
    return ("", exercise.name, re.sub(r"^\d+-", "", exercise.name))


def _is_called(check: CheckResult, name: str) -> bool:
    """Whether a check has this id, is this test, or has this title: pages show titles only."""
    as_id = name.strip().removeprefix("test_").replace("_", "-")
    return check.id == as_id or _bare(check.title) == _bare(name)


def _bare(title: str) -> str:
    return " ".join(title.replace("`", "").lower().split())


def _unknown(kind: str, name: str, names: Iterable[str], where: str = "") -> CourseError:
    there = list(dict.fromkeys(names))
    like = difflib.get_close_matches(name, there, 3)
    listed = ", ".join(harmless(one, 100) for one in there[:MAX_NAMES]) or "none"
    more = f" and {len(there) - MAX_NAMES} more" if len(there) > MAX_NAMES else ""
    hint = f" Is it {' or '.join(harmless(one, 100) for one in like)}?" if like else ""
    return CourseError(
        f"There is no {kind} named '{harmless(name, 100)}'{where}.{hint}\n"
        f"The {kind}s are: {listed}{more}."
    )


def explain(course: Course, question: Question, confinement: Confinement) -> Explanation:
    """Run a submission again and watch one check of it.

    If that says something else than the verdict that is kept, it is run once more with the checks
    before it, in their order as when it is graded: an answer may be another one after them.

    Raises:
        RuntimeError: the checks could not be run.
    """
    lesson, exercise, due = question.lesson, question.exercise, question.check
    notebook, notes = classroom.restored(course, lesson, question.submission)
    student = question.submission.student
    place = kept.Place(course.root, lesson.name, student, exercise.name)
    key, before = kept.last(place) or ("", None)
    is_of_this = key == kept.fingerprint(lesson, exercise, notebook, confinement)
    then = _of(due, before) if before else None
    there = notebook.metadata["jaxercise"]["there"]
    watched = Watched(_without_answer(due, notes), (), 0, (), "", ())
    alone = alone_passed = True
    if there:
        watched = watch(exercise, lesson, copy.deepcopy(notebook), confinement, due)
        alone_passed = watched.result.passed
        if then is not None and not _same(watched.result, then):
            alone = False
            watched = watch(exercise, lesson, notebook, confinement, due, earlier=True)
    return Explanation(
        student=student,
        lesson=lesson.name,
        exercise=exercise.name,
        seen=watched.result,
        ran=there,
        alone=alone,
        alone_passed=alone_passed,
        where=_from(course.root, exercise, watched.where),
        kept=then,
        kept_is_of_this=is_of_this,
        exchanges=watched.exchanges,
        requests=watched.requests,
        frames=watched.frames,
        notes=tuple(dict.fromkeys([*notes, *watched.notes])),
    )


@dataclass(frozen=True)
class Watched:
    """One check, judged and watched."""

    result: CheckResult
    exchanges: tuple[Exchange, ...]
    requests: int
    frames: tuple[Frame, ...]
    where: str
    notes: tuple[str, ...]


def watch(
    exercise: Exercise,
    lesson: Lesson,
    notebook: NotebookNode,
    confinement: Confinement,
    due: CheckResult,
    earlier: bool = False,
) -> Watched:
    """Run a restored notebook as when it is graded, and judge one check of it.

    Args:
        earlier: judge the checks before it first.
    """
    tape = Tape()
    witness = Witness(due.id, tape, earlier)
    with grading.run_notebook(exercise, lesson, notebook, confinement) as (student, host):
        verdict = judging.judge(
            exercise.name, exercise.checks, recorded(student, tape), plugins=[witness]
        )
        errors = kernels.errors_of(notebook)
        notes = (*host.trouble, *([errors] if errors else []))
    result = _of(due, verdict)
    if result is None:
        raise RuntimeError(f"the check {due.id} could not be found again in {exercise.checks}")
    return Watched(result, tuple(tape.exchanges), tape.count, witness.frames, witness.where, notes)


def _of(due: CheckResult, verdict: Verdict) -> CheckResult | None:
    return next((check for check in verdict.checks if check.id == due.id), None)


def _without_answer(due: CheckResult, notes: tuple[str, ...]) -> CheckResult:
    why = notes[0] if notes else due.message
    return CheckResult(due.id, due.title, due.cell, due.points, False, why)


def _from(root: Path, exercise: Exercise, where: str) -> str:
    """The check's place as seen from the course's folder."""
    line = where.rpartition(":")[2]
    path = exercise.checks.relative_to(root).as_posix()
    return f"{path}:{line}" if line else path
