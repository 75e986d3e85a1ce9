"""Grades stored answers and mutants, many times if wished, and keeps what came out in a journal.

A line of the journal is one grading. A run that was stopped goes on where it ended, for a grading
whose line is there is not done again. This module must not know what a verdict should have been.
"""

import json
import multiprocessing
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from jaxercise import classroom, kept, verdict
from jaxercise.course import Course
from jaxercise.settings import Confinement
from jaxercise.verdict import Verdict

JOURNAL = Path(".jaxercise", "proof", "journal.jsonl")


@dataclass(frozen=True)
class Grading:
    """One answer, graded once.

    Attributes:
        exercise: its name.
        answer: the name of the stored file, or of the mutant.
        round: 0 for the first time, and so on.
        busy: whether other work kept all cores busy meanwhile.
        jax: the version.
        verdict: what came out.
    """

    exercise: str
    answer: str
    round: int
    busy: bool
    jax: str
    verdict: Verdict


def grade(
    course: Course,
    exercise_name: str,
    answers: Sequence[tuple[str, str]],
    confinement: Confinement,
    round: int = 0,
    busy: bool = False,
    workers: int = 0,
) -> Iterator[Grading]:
    """Grade answers to one exercise as loose files, in their order.

    Args:
        answers: name and source text of each.
        round: gradings of other rounds are made anew.
        busy: keep all cores busy with other work meanwhile.
        workers: answers graded at once; 0 means one a core.
    """
    exercise = course.exercise(exercise_name)
    lesson = course.lesson_of(exercise)
    journal = course.root / JOURNAL
    keys = {
        name: kept.fingerprint_of(lesson, exercise, json.dumps([text, round, busy]))
        for name, text in answers
    }
    done = {key: line for key, line in read(journal) if line.exercise == exercise_name}
    missing = [(name, text) for name, text in answers if keys[name] not in done]
    with tempfile.TemporaryDirectory() as folder, _load(busy and bool(missing)):
        paths = []
        for number, (_, text) in enumerate(missing):
            paths.append(Path(folder, f"answer{number}.py"))
            paths[-1].write_text(text)
        at_once = workers or classroom.default_workers()
        verdicts: Iterator[Verdict] = iter(())
        if missing:
            verdicts = classroom.check_files(course, exercise.name, paths, at_once, confinement)
        for name, _ in answers:
            key = keys[name]
            if key not in done:
                found = Grading(exercise.name, name, round, busy, version("jax"), next(verdicts))
                _write(journal, key, found)
                done[key] = found
            # the same text may have been graded under another name
            yield Grading(exercise.name, name, round, busy, done[key].jax, done[key].verdict)


def read(journal: Path) -> Iterator[tuple[str, Grading]]:
    """All gradings written down, with the fingerprints of what they graded and what judged."""
    for line in journal.read_text().splitlines() if journal.exists() else []:
        try:
            fields = json.loads(line)
            key, judged = fields.pop("key"), verdict.from_json(fields.pop("verdict"))
        except ValueError:
            continue  # the last line of a run that was killed
        yield key, Grading(**fields, verdict=judged)


def _write(journal: Path, key: str, done: Grading) -> None:
    journal.parent.mkdir(parents=True, exist_ok=True)
    fields = {**vars(done), "verdict": done.verdict.as_json(), "key": key}
    with journal.open("a") as file:
        file.write(json.dumps(fields, ensure_ascii=False) + "\n")


@contextmanager
def _load(busy: bool) -> Iterator[None]:
    """One process on each core that does nothing but work."""
    cores = classroom.default_workers() if busy else 0
    fresh = multiprocessing.get_context("spawn")
    burning = [fresh.Process(target=_burn, daemon=True) for _ in range(cores)]
    for process in burning:
        process.start()
    try:
        yield
    finally:
        for process in burning:
            process.kill()
            process.join()


def _burn() -> None:
    while True:
        sum(range(100_000))
