"""Grades many answers: a pool of workers, verdicts kept between runs, one writer at the end.

Workers never run student code themselves; they start processes that do (hosts, kernels).
"""

import shutil
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock

import nbformat
from nbformat import NotebookNode

from jaxercise import gradebook, grading, kept, recorded, report, submissions
from jaxercise.course import Course, Exercise, Lesson, load_course
from jaxercise.grading import Graded
from jaxercise.release import release
from jaxercise.settings import Confinement
from jaxercise.verdict import Verdict, failed
from jaxercise.workers import crew


@dataclass(frozen=True)
class Submission:
    """One notebook that is due from one student, in ``folder`` if it is there at all."""

    student: str
    exercise: str
    folder: Path


@dataclass(frozen=True)
class Marked:
    """A submission's verdict and what the instructor should know about it."""

    submission: Submission
    verdict: Verdict
    repairs: tuple[str, ...]


def check_files(
    course: Course, exercise: str, files: Sequence[Path], workers: int, confinement: Confinement
) -> Iterator[Verdict]:
    """Judge loose files of one exercise; verdicts come in the order of the files."""
    found = course.exercise(exercise)
    with crew(min(workers, len(files))) as at_work:
        if len(files) >= WORTH_FILLING:
            fill = partial(_fill, course.root, kind="file", confinement=confinement)
            list(at_work.each(fill, [found.name]))
        check = partial(_check_file, course.root, found.name, confinement=confinement)
        for done in at_work.in_order(check, files):
            if done.result is not None:
                yield done.result
            else:  # whatever happened to one answer, the others go on
                yield failed(found.name, grading.due_checks(found, notebook=False).checks, CRASHED)


WORTH_FILLING = 5  # answers to one exercise; the model solution takes as long as two of them


def _fill(root: Path, exercise: str, kind: str, confinement: Confinement) -> None:
    course = load_course(root)
    found = course.exercise(exercise)
    with suppress(Exception):  # it only saves time
        grading.fill_compiled(found, course.lesson_of(found), kind, confinement)


CRASHED = "The grader's own process ended while it worked on this; please tell your instructor."


def _check_file(root: Path, exercise: str, path: Path, confinement: Confinement) -> Verdict:
    course = load_course(root)
    found = course.exercise(exercise)
    return grading.grade_file(found, course.lesson_of(found), path, confinement)


def due_submissions(course: Course, lesson: Lesson) -> list[Submission]:
    """Every notebook of every student who has a folder for the lesson."""
    folder = course.root / "submitted"
    students = sorted(p.name for p in folder.iterdir() if _is_students(p, lesson))
    return [
        Submission(student, e.name, folder / student / lesson.name)
        for student in students
        for e in lesson.exercises
    ]


def _is_students(folder: Path, lesson: Lesson) -> bool:
    """Whether a student handed something in here; links lead somewhere else, and hidden folders
    (of a file manager, say) are no student's."""
    return (
        not folder.name.startswith(".")
        and not folder.is_symlink()
        and (folder / lesson.name).is_dir()
    )


def grade_class(
    course: Course, lesson: Lesson, workers: int, confinement: Confinement, scheduler: str = ""
) -> Iterator[Marked]:
    """Grade what is in ``submitted/``, as each is done; then ``record`` writes it all down.

    Args:
        workers: how many processes at once on this machine.
        scheduler: address of a Dask cluster that does it in their place. Its workers must see the
            course's folder under the same path.
    """
    due = due_submissions(course, lesson)
    shutil.rmtree(course.root / ".jaxercise" / "staged", ignore_errors=True)
    kept.sweep(course.root)
    with crew(max(1, min(workers, len(due))), scheduler) as at_work:
        if len(due) >= WORTH_FILLING * len(lesson.exercises):
            fill = partial(_fill, course.root, kind="notebook", confinement=confinement)
            list(at_work.each(fill, [exercise.name for exercise in lesson.exercises]))
        grade = partial(_grade_one, course.root, confinement=confinement)
        for done in at_work.each(grade, due):
            if done.result is not None:
                yield done.result
            else:  # whatever happened to one submission, the others go on
                yield _grade_crashed(course, lesson, done.job, confinement, done.error)


# A cluster's worker may have several threads; pytest and the warm process are for one at a time.
ONE_AT_A_TIME = Lock()


def _grade_one(root: Path, submission: Submission, confinement: Confinement) -> Marked:
    course = load_course(root)
    exercise = course.exercise(submission.exercise)
    lesson = course.lesson_of(exercise)
    with ONE_AT_A_TIME:
        notebook, notes = stage(course, lesson, submission)
        graded = judged(course, lesson, exercise, submission.student, notebook, confinement)
    return Marked(submission, graded.verdict, tuple(dict.fromkeys(notes + graded.repairs)))


def judged(
    course: Course,
    lesson: Lesson,
    exercise: Exercise,
    student: str,
    notebook: NotebookNode,
    confinement: Confinement,
) -> Graded:
    """The verdict on a staged notebook: kept from before, if it was made from exactly the same,
    or made and kept now."""
    place = kept.Place(course.root, lesson.name, student, exercise.name)
    key = kept.fingerprint(lesson, exercise, notebook, confinement)
    graded = kept.load(place, key)
    if graded is None:
        began, found = time.monotonic(), notebook.metadata["jaxercise"]
        if found["there"]:
            graded = grading.grade_notebook(exercise, lesson, notebook, confinement)
        else:
            graded = grading.grade_nothing(exercise, notebook, found["trouble"][0])
        kept.save(place, key, graded)
        notes = list(dict.fromkeys([*found["trouble"], *graded.repairs]))
        kept.write_whole(place.log, report.log(graded.verdict, notes, time.monotonic() - began))
    return graded


def stage(
    course: Course, lesson: Lesson, submission: Submission, *more: str
) -> tuple[NotebookNode, tuple[str, ...]]:
    """Write the restored notebook where nbgrader reads it, whatever the student handed in; returns
    what ``restored`` does."""
    notebook, notes = restored(course, lesson, submission, *more)
    place = kept.Place(course.root, lesson.name, submission.student, submission.exercise)
    kept.write_whole(place.staged, nbformat.writes(notebook))
    return notebook, notes


def restored(
    course: Course, lesson: Lesson, submission: Submission, *more: str
) -> tuple[NotebookNode, tuple[str, ...]]:
    """The restored notebook, which says in its metadata whether there was one to restore, and notes
    for the instructor, ``more`` first. Nothing is written."""
    exercise = course.exercise(submission.exercise)
    found = submissions.find(lesson, submission.folder)[exercise.name]
    notebook, notes = grading.prepare(exercise, found)
    notes = (*more, *notes)
    notebook.metadata["jaxercise"] = {"trouble": list(notes), "there": found.notebook is not None}
    return notebook, notes


def _grade_crashed(
    course: Course,
    lesson: Lesson,
    submission: Submission,
    confinement: Confinement,
    error: Exception | None,
) -> Marked:
    """Zero with the reason, kept so that it is recorded like any other verdict; ``error`` is for
    the log."""
    exercise = course.exercise(submission.exercise)
    notebook, notes = stage(course, lesson, submission, CRASHED)  # so it is tried again
    place = kept.Place(course.root, lesson.name, submission.student, exercise.name)
    graded = grading.grade_nothing(exercise, notebook, CRASHED)
    kept.write_whole(place.log, "".join(traceback.format_exception(error)) if error else CRASHED)
    kept.save(place, kept.fingerprint(lesson, exercise, notebook, confinement), graded)
    return Marked(submission, graded.verdict, notes)


def record(course: Course, lesson: Lesson, confinement: Confinement) -> None:
    """Write ``autograded/``, the gradebook and ``feedback/`` from the verdicts just made.

    Only for those whose verdicts, or whose entries in the gradebook, are not what was written last.
    """
    staged = course.root / ".jaxercise" / "staged"
    for folder in staged.iterdir():
        copy_exchanged(course.root / "submitted" / folder.name / lesson.name, folder / lesson.name)
    students = [folder.name for folder in staged.iterdir() if (folder / lesson.name).is_dir()]
    if due := recorded.due(course, lesson, students, "autograded"):
        gradebook.autograde(course, lesson, staged, confinement, due)
    if due := recorded.due(course, lesson, students, "feedback"):
        gradebook.feedback(course, lesson, due)
    recorded.keep(course, lesson, students)


def copy_exchanged(submitted: Path, staged: Path) -> None:
    """Where nbgrader reads when the work was handed in, for late penalties, and by which secret the
    student finds the feedback that is released."""
    found = submissions.exchanged(submitted)
    for name in submissions.EXCHANGED:
        if name in found:
            kept.write_whole(staged / name, found[name])
        else:
            (staged / name).unlink(missing_ok=True)  # of an earlier submission


def doubts(course: Course, lesson: Lesson) -> dict[str, str]:
    """By student, why the time at which the work was handed in is to be doubted."""
    folders = {due.student: due.folder for due in due_submissions(course, lesson)}
    found = {student: submissions.doubtful_time(folder) for student, folder in folders.items()}
    return {student: why for student, why in found.items() if why}


def prepare_gradebook(course: Course, lesson: Lesson) -> None:
    """Release the lesson if the gradebook does not know it as it is now."""
    if not gradebook.knows(course, lesson):
        release(course, lesson)


def recorded_scores(course: Course, lesson: Lesson) -> dict[str, dict[str, float]]:
    return gradebook.scores(course, lesson)
