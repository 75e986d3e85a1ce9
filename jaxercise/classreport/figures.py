"""Counts what a class did: mistakes, checks, marks, trouble, answers that are alike.

Plain data from plain data; it must not read files, nor know how any of it is shown.
"""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from jaxercise.classreport import similarity
from jaxercise.classreport.data import (
    Alike,
    AlikeCell,
    Check,
    ClassReport,
    Marks,
    Mistake,
    OfExercise,
    Place,
    Trouble,
)
from jaxercise.classreport.gathering import Entry
from jaxercise.course import Exercise, Lesson, is_answer, nbgrader_metadata, read_notebook
from jaxercise.verdict import CheckResult

UNANSWERED = "not-answered"  # the name that checks give to a function that is still a stub
BINS = 10
SLOW_TIMES, SLOW_S = 3, 10  # slow: so many times the usual, and so much more


def class_report(lesson: Lesson, entries: Sequence[Entry]) -> ClassReport:
    exercises = tuple(
        _of_exercise(exercise, [e for e in entries if e.exercise == exercise.name])
        for exercise in lesson.exercises
    )
    checks = [check for exercise in exercises for check in exercise.checks if check.lost]
    points = sum(exercise.points for exercise in lesson.exercises)
    totals: dict[str, float] = defaultdict(float)
    for entry in entries:
        if entry.mark is not None:
            totals[entry.student] += entry.mark
    students = {entry.student for entry in entries}
    return ClassReport(
        lesson.name,
        points,
        len(students),
        _whose(e for e in entries if e.verdict is None),
        _whose(e for e in entries if e.changed),
        _whose(e for e in entries if e.verdict is not None and e.student not in totals),
        _mistakes(entries),
        tuple(sorted(checks, key=lambda c: (-c.share_lost, -c.lost, c.exercise, c.id))),
        exercises,
        marks(list(totals.values()), points),
        tuple(_trouble(entries, exercises)),
        _alike(lesson, entries),
    )


def _whose(entries: Iterable[Entry]) -> tuple[str, ...]:
    return tuple(sorted({entry.student for entry in entries}))


def marks(found: Sequence[float], most: float) -> Marks:
    """Count marks; what is below zero or above the most there is falls into the outer parts."""
    counts = [0] * BINS
    for mark in found:
        share = mark / most if most else 0.0
        counts[min(BINS - 1, max(0, int(share * BINS + 1e-9)))] += 1
    return Marks(
        most,
        len(found),
        round(statistics.fmean(found), 4) if found else None,
        round(statistics.median(found), 4) if found else None,
        tuple(counts),
    )


def _lost(entry: Entry) -> list[CheckResult]:
    """Checks that an answer lost; none of work that was not judged for what it is."""
    if entry.verdict is None or entry.state != "answered":
        return []
    return [check for check in entry.verdict.checks if not check.passed]


def _mistakes(entries: Sequence[Entry]) -> tuple[Mistake, ...]:
    made: dict[str, list[tuple[Entry, CheckResult]]] = defaultdict(list)
    for entry in entries:
        for check in _lost(entry):
            if check.mistake and check.mistake != UNANSWERED:
                made[check.mistake].append((entry, check))
    found = [_mistake(name, cases) for name, cases in made.items()]
    return tuple(sorted(found, key=lambda m: (-m.students, -m.points, m.name)))


def _mistake(name: str, cases: Sequence[tuple[Entry, CheckResult]]) -> Mistake:
    places = Counter((entry.exercise, check.id, check.title) for entry, check in cases)
    return Mistake(
        name,
        len({entry.student for entry, _ in cases}),
        round(sum(check.points for _, check in cases), 4),
        _usual(check.message for _, check in cases),
        tuple(Place(*place, number) for place, number in places.most_common()),
    )


def _usual(texts: Iterable[str]) -> str:
    """The most frequent text, of equally frequent ones the first in the alphabet."""
    counted = Counter(texts)
    return min(counted, key=lambda text: (-counted[text], text), default="")


def _of_exercise(exercise: Exercise, entries: Sequence[Entry]) -> OfExercise:
    handed_in = [e for e in entries if e.mark is not None and (e.state != "missing" or e.mark)]
    lost = [check for entry in entries for check in _lost(entry) if check.mistake != UNANSWERED]
    judged = [e for e in entries if e.verdict is not None and e.mark is not None]
    seconds = [e.seconds for e in entries if e.seconds is not None and e.state == "answered"]
    return OfExercise(
        exercise.name,
        exercise.points,
        dict(Counter(entry.state for entry in entries)),
        marks([e.mark for e in handed_in if e.mark is not None], exercise.points),
        sum(abs((e.mark or 0.0) - e.verdict.score) > 1e-6 for e in judged if e.verdict),
        round(statistics.median(seconds), 2) if seconds else None,
        len(lost),
        sum(not check.mistake for check in lost),
        _checks(exercise.name, entries),
    )


def _checks(exercise: str, entries: Sequence[Entry]) -> tuple[Check, ...]:
    results: dict[str, list[CheckResult]] = {}
    for entry in entries:
        for result in entry.verdict.checks if entry.verdict else ():
            results.setdefault(result.id, [])
            if entry.state == "answered":
                results[result.id].append(result)
    titles = {r.id: r for e in entries if e.verdict for r in e.verdict.checks}
    found = []
    for name, some in results.items():
        passed = sum(result.passed for result in some)
        unwritten = sum(result.mistake == UNANSWERED for result in some)
        lost = [r for r in some if not r.passed and r.mistake != UNANSWERED]
        found.append(
            Check(
                exercise,
                name,
                titles[name].title,
                titles[name].points,
                passed,
                len(lost),
                unwritten,
                round(len(lost) / ((passed + len(lost)) or 1), 4),
                _usual(result.message for result in lost),
            )
        )
    return tuple(found)


def _trouble(entries: Sequence[Entry], exercises: Sequence[OfExercise]) -> list[Trouble]:
    usual = {exercise.name: exercise.usual_seconds for exercise in exercises}
    whose: dict[tuple[str, str, str], list[str]] = {}
    slow = []
    for entry in entries:
        kind = "broken" if entry.state == "broken" else "stopped"
        for why in entry.stopped:
            whose.setdefault((kind, entry.exercise, why), []).append(entry.student)
        for why in entry.mended:
            whose.setdefault(("mended", entry.exercise, why), []).append(entry.student)
        often = usual[entry.exercise]
        if entry.seconds is None or often is None:
            continue
        if entry.seconds >= max(SLOW_TIMES * often, often + SLOW_S):
            why = f"grading took {entry.seconds:.0f} s; {often:.1f} s are usual here"
            slow.append((entry.seconds, Trouble("slow", entry.exercise, why, (entry.student,))))
    found = [Trouble(*key, tuple(students)) for key, students in whose.items()]
    found.sort(key=lambda t: (-len(t.students), t.exercise, t.why))
    slow.sort(key=lambda pair: -pair[0])
    found += [trouble for _, trouble in slow]
    return sorted(found, key=lambda t: ("broken", "stopped", "slow", "mended").index(t.kind))


def _alike(lesson: Lesson, entries: Sequence[Entry]) -> tuple[Alike, ...]:
    together: dict[tuple[str, ...], list[AlikeCell]] = defaultdict(list)
    for exercise in lesson.exercises:
        for group in _groups(exercise, [e for e in entries if e.exercise == exercise.name]):
            together[group.students].append(AlikeCell(exercise.name, group))
    found = []
    for students, cells in together.items():
        names = dict.fromkeys(cell.exercise for cell in cells)
        losses = [loss for name in names for loss in _same_losses(entries, name, students)]
        found.append(Alike(students, tuple(cells), tuple(losses)))

    def says(alike: Alike) -> tuple[int, int, int]:
        """Mistakes in common say most, then several cells, then long answers."""
        longest = max(cell.group.size for cell in alike.cells)
        return len(alike.same_losses), len(alike.cells), longest

    return tuple(sorted(found, key=says, reverse=True))


def _groups(exercise: Exercise, entries: Sequence[Entry]) -> Iterator[similarity.Group]:
    given: list[str] = []
    for cell in read_notebook(exercise.notebook).cells:
        if cell.cell_type == "code" and is_answer(cell):
            name = nbgrader_metadata(cell)["grade_id"]
            answers = {e.student: e.answers[name] for e in entries if name in e.answers}
            yield from similarity.groups(name, answers, cell.source, "\n".join(given))
        elif cell.cell_type == "code":
            given.append(cell.source)


def _same_losses(entries: Sequence[Entry], exercise: str, students: Sequence[str]) -> list[str]:
    """Titles of the checks of an exercise that all of them lost with the same words."""
    each = [
        {(check.title, check.message) for check in _lost(entry)}
        for entry in entries
        if entry.exercise == exercise and entry.student in students
    ]
    return sorted({title for title, _ in set.intersection(*each)}) if each else []
