"""Grades stored answers and mutants, many times if wished, and keeps what came out in a journal.

A line of the journal is one grading. A run that was stopped goes on where it ended, for a grading
whose line is there is not done again. The evidence is a journal, too: what the last report counted,
kept beside it, so that another clone goes on from there. This module must not know what a verdict
should have been.
"""

import hashlib
import json
import lzma
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from jaxercise import classroom, kept, verdict
from jaxercise.course import Course
from jaxercise.settings import Confinement
from jaxercise.verdict import Verdict
from jaxercise.workers import default_workers

Judge = Callable[[Course, str, Sequence[Path], int, Confinement], Iterator[Verdict]]
JOURNAL = Path(".jaxercise", "proof", "journal.jsonl")
EVIDENCE = Path("docs", "proof.jsonl.xz")


@dataclass(frozen=True)
class Grading:
    """One answer, graded once.

    Attributes:
        exercise: its name.
        answer: the name of the stored file, or of the mutant.
        round: 0 for the first time, and so on.
        busy: whether other work kept all cores busy meanwhile.
        jax: the version.
        state: hash of the answer's text and of what judged it.
        verdict: what came out.
    """

    exercise: str
    answer: str
    round: int
    busy: bool
    jax: str
    state: str
    verdict: Verdict

    @property
    def occasion(self) -> tuple:
        """What makes a grading one of its own; the same occasion needs no second one."""
        return self.state, self.round, self.busy, self.jax


def grade(
    course: Course,
    exercise_name: str,
    answers: Sequence[tuple[str, str]],
    confinement: Confinement,
    round: int = 0,
    busy: bool = False,
    judge: Judge = classroom.check_files,
) -> Iterator[Grading]:
    """Grade answers to one exercise as loose files, in their order.

    Args:
        answers: name and source text of each.
        round: gradings of other rounds are made anew.
        busy: keep all cores busy with other work meanwhile.
        judge: grades loose files; ``results.check_results`` for stored results.
    """
    exercise = course.exercise(exercise_name)
    journal, here = course.root / JOURNAL, (round, busy, version("jax"))
    state = state_by(course, exercise_name)
    states = [state(text) for _, text in answers]
    done = {grading.occasion: grading.verdict for grading in read(course.root)}
    missing = {key: text for key, (_, text) in zip(states, answers) if (key, *here) not in done}
    with tempfile.TemporaryDirectory() as folder, load(busy and bool(missing)):
        paths = []
        for number, text in enumerate(missing.values()):
            paths.append(Path(folder, f"answer{number}.py"))
            paths[-1].write_text(text)
        verdicts: Iterator[Verdict] = iter(())
        if missing:
            at_once = default_workers()
            verdicts = judge(course, exercise.name, paths, at_once, confinement)
        for key, (name, _) in zip(states, answers):
            fresh = (key, *here) not in done
            judged = next(verdicts) if fresh else done[key, *here]
            grading = Grading(exercise.name, name, *here, key, judged)
            if fresh:
                _write(journal, grading)
                done[key, *here] = judged  # the same text may come again under another name
            yield grading


def state_by(course: Course, exercise_name: str) -> Callable[[str], str]:
    """A function from an answer's text to the hash of it and of what judges it, versions aside."""
    exercise = course.exercise(exercise_name)
    judge = kept.state_of_judge(course.lesson_of(exercise), exercise)
    return lambda text: hashlib.sha256(f"{judge} {text}".encode()).hexdigest()


def read(root: Path) -> Iterator[Grading]:
    """All gradings written down in a course, as evidence or since then."""
    evidence, journal = root / EVIDENCE, root / JOURNAL
    text = lzma.decompress(evidence.read_bytes()).decode() if evidence.exists() else ""
    text += journal.read_text() if journal.exists() else ""
    for line in text.split("\n"):
        try:
            fields = json.loads(line)
            judged = verdict.from_json(fields.pop("verdict"))
            yield Grading(**fields, verdict=judged)
        except (ValueError, KeyError, TypeError):
            continue  # the last line of a run that was killed, or one of an older form


def keep(root: Path, gradings: Iterable[Grading]) -> None:
    """Write the evidence anew."""
    lines = sorted(_line(grading) for grading in gradings)
    (root / EVIDENCE).parent.mkdir(exist_ok=True)
    (root / EVIDENCE).write_bytes(lzma.compress("".join(lines).encode()))


def _line(grading: Grading) -> str:
    fields = {**vars(grading), "verdict": grading.verdict.as_json()}
    return json.dumps(fields, ensure_ascii=False) + "\n"


def _write(journal: Path, grading: Grading) -> None:
    journal.parent.mkdir(parents=True, exist_ok=True)
    with journal.open("ab", buffering=0) as file:  # at once: two runs may write to one journal
        file.write(_line(grading).encode())


@contextmanager
def load(busy: bool) -> Iterator[None]:
    """Keep twice as many threads at work as there are cores; what else runs here counts, such as
    these gradings with another version of JAX."""
    cores = default_workers() if busy else 0
    fresh = multiprocessing.get_context("spawn")
    mine = os.getpid()
    burning = [
        fresh.Process(target=_burn, args=(2 * cores, mine), daemon=True) for _ in range(cores)
    ]
    for process in burning:
        process.start()
    try:
        yield
    finally:
        for process in burning:
            process.kill()
            process.join()


def _burn(enough: int, parent: int) -> None:
    while os.getppid() == parent:  # a run that was killed could not say that it is over
        others = _running() - 1
        if others < enough:
            sum(range(100_000))
        else:
            time.sleep(0.01)


def _running() -> int:
    """Threads of this machine that run, or would if a core were free."""
    lines = Path("/proc/stat").read_text().splitlines()
    return next(int(x.split()[1]) for x in lines if x.startswith("procs_running"))
