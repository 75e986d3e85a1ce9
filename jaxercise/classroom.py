"""Grades many answers: a pool of workers, verdicts kept between runs, one writer at the end.

Workers never run student code themselves; they start processes that do (hosts, kernels).
"""

import multiprocessing
import os
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import nbformat
from nbformat import NotebookNode

from jaxercise import gradebook, grading, kept, submissions
from jaxercise.course import Course, Exercise, Lesson, load_course
from jaxercise.grading import Graded
from jaxercise.release import release
from jaxercise.settings import Confinement
from jaxercise.verdict import Verdict, failed


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


def default_workers() -> int:
    return max(1, len(os.sched_getaffinity(0)))


@contextmanager
def pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Fresh processes: a worker keeps its own warm process to fork student processes from.

    Work that has not begun is given up when the block is left early, by Ctrl-C for one.
    """
    fresh = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(workers, fresh, initializer=_end_with_parent)
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """Let a worker end when the process that started it is killed; it would wait for ever."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)  # its warm process and all rooms end with it

    Thread(target=watch, daemon=True).start()


def check_files(
    course: Course, exercise: str, files: Sequence[Path], workers: int, confinement: Confinement
) -> Iterator[Verdict]:
    """Judge loose files of one exercise; verdicts come in the order of the files."""
    with pool(min(workers, len(files))) as executor:
        if len(files) >= WORTH_FILLING:
            executor.submit(_fill, course.root, exercise, "file", confinement).result()
        futures = [
            executor.submit(_check_file, course.root, exercise, path, confinement) for path in files
        ]
        for future in futures:
            try:
                yield future.result()
            except Exception:  # whatever happened to one answer, the others go on
                found = course.exercise(exercise)
                yield failed(exercise, grading.due_checks(found, notebook=False).checks, CRASHED)


WORTH_FILLING = 6  # answers to one exercise; running the model solution costs as much as one


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
    course: Course, lesson: Lesson, workers: int, confinement: Confinement
) -> Iterator[Marked]:
    """Grade what is in ``submitted/``, as each is done; then ``record`` writes it all down."""
    due = due_submissions(course, lesson)
    shutil.rmtree(course.root / ".jaxercise" / "staged", ignore_errors=True)
    with pool(max(1, min(workers, len(due)))) as executor:
        if len(due) >= WORTH_FILLING * len(lesson.exercises):
            fills = [
                executor.submit(_fill, course.root, exercise.name, "notebook", confinement)
                for exercise in lesson.exercises
            ]
            for fill in fills:
                fill.result()
        futures: dict[Future, Submission] = {
            executor.submit(_grade_one, course.root, submission, confinement): submission
            for submission in due
        }
        for future in as_completed(futures):
            submission = futures[future]
            try:
                yield future.result()
            except Exception:  # whatever happened to one submission, the others go on
                yield _grade_crashed(course, lesson, submission, confinement)


def _grade_one(root: Path, submission: Submission, confinement: Confinement) -> Marked:
    course = load_course(root)
    exercise = course.exercise(submission.exercise)
    lesson = course.lesson_of(exercise)
    notebook, notes = stage(course, lesson, submission)
    graded = judged(course, lesson, exercise, submission.student, notebook, confinement)
    return Marked(submission, graded.verdict, notes + graded.repairs)


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
        found = notebook.metadata["jaxercise"]
        if found["there"]:
            graded = grading.grade_notebook(exercise, lesson, notebook, confinement)
        else:
            graded = grading.grade_nothing(exercise, notebook, found["trouble"][0])
        kept.save(place, key, graded)
    return graded


def stage(
    course: Course, lesson: Lesson, submission: Submission, *more: str
) -> tuple[NotebookNode, tuple[str, ...]]:
    """Write the restored notebook where nbgrader reads it, whatever the student handed in.

    Returns the notebook, which says in its metadata whether there was one to restore, and notes
    for the instructor, ``more`` first.
    """
    exercise = course.exercise(submission.exercise)
    found = submissions.find(lesson, submission.folder)[exercise.name]
    notebook, notes = grading.prepare(exercise, found)
    notes = (*more, *notes)
    notebook.metadata["jaxercise"] = {"trouble": list(notes), "there": found.notebook is not None}
    place = kept.Place(course.root, lesson.name, submission.student, exercise.name)
    kept.write_whole(place.staged, nbformat.writes(notebook))
    return notebook, notes


def _grade_crashed(
    course: Course, lesson: Lesson, submission: Submission, confinement: Confinement
) -> Marked:
    """Zero with the reason, kept so that it is recorded like any other verdict."""
    exercise = course.exercise(submission.exercise)
    notebook, notes = stage(course, lesson, submission, CRASHED)  # so it is tried again
    place = kept.Place(course.root, lesson.name, submission.student, exercise.name)
    graded = grading.grade_nothing(exercise, notebook, CRASHED)
    kept.save(place, kept.fingerprint(lesson, exercise, notebook, confinement), graded)
    return Marked(submission, graded.verdict, notes)


def record(course: Course, lesson: Lesson, confinement: Confinement) -> None:
    """Write ``autograded/``, the gradebook and ``feedback/`` from the verdicts just made."""
    staged = course.root / ".jaxercise" / "staged"
    for folder in staged.iterdir():
        copy_timestamp(course.root / "submitted" / folder.name / lesson.name, folder / lesson.name)
    gradebook.autograde(course, lesson, staged, confinement)
    gradebook.feedback(course, lesson)


def copy_timestamp(submitted: Path, staged: Path) -> None:
    """Where nbgrader reads when the work was handed in, for late penalties.

    One that it cannot read would stop it for the whole class, and is left out.
    """
    if submissions.handed_in(submitted) is not None:
        shutil.copy(submitted / submissions.TIMESTAMP, staged)


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
