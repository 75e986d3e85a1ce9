"""Turns the journal into figures, and the figures into the page ``docs/proof.md``.

This module must not grade anything: it reads what was written down and compares it with what the
stored answers and the lists of equivalent mutants say.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jaxercise.proof import stored
from jaxercise.proof.rounds import Grading
from jaxercise.proof.stored import StoredAnswer


@dataclass(frozen=True)
class Figures:
    """What the gradings of one exercise's stored answers show.

    Attributes:
        right, wrong: how many stored answers there are.
        named: wrong ones whose mistake the student reads by name.
        gradings: how many there were, by version of JAX.
        rounds: the least number of times that an answer was graded, by version of JAX.
        busy: how many of all gradings were made while all cores were kept busy.
        rejected: gradings in which a right answer lost a mark.
        accepted: gradings in which a wrong answer passed a check that it must fail.
        otherwise: gradings that differ from the answer's header in any other way.
        flips: answers that were not marked the same, check by check, at each grading.
    """

    right: int
    wrong: int
    named: int
    gradings: dict[str, int]
    rounds: dict[str, int]
    busy: int
    rejected: list[str]
    accepted: list[str]
    otherwise: list[str]
    flips: list[str]


def figures(answers: Sequence[StoredAnswer], gradings: Iterable[Grading]) -> Figures:
    """Count.

    Args:
        answers: all to one exercise.
        gradings: those of the present answers and checks; others were left out before.
    """
    by_answer: dict[str, list[Grading]] = defaultdict(list)
    for grading in gradings:
        by_answer[grading.answer].append(grading)
    counts: dict[str, dict[str, int]] = {}
    rejected, accepted, otherwise, flips = [], [], [], []
    for answer in answers:
        name = answer.name
        counts[name] = defaultdict(int)
        marks = set()
        for grading in by_answer[name]:
            counts[name][grading.jax] += 1
            marks.add(tuple((check.id, check.passed) for check in grading.verdict.checks))
            what = f"{name}, round {grading.round} on {grading.jax}"
            lost = {check.id for check in grading.verdict.checks if not check.passed}
            due = {check.id for check in grading.verdict.checks}
            if answer.right and lost:
                rejected.append(what)
            elif (due if answer.loses is None else answer.loses) - lost:
                accepted.append(what)
            elif stored.differences(answer, grading.verdict):
                otherwise.append(what)
        if len(marks) > 1:
            flips.append(name)
    versions = sorted({version for count in counts.values() for version in count})
    wrong = [answer for answer in answers if not answer.right]
    return Figures(
        right=len(answers) - len(wrong),
        wrong=len(wrong),
        named=sum(bool(answer.mistakes) for answer in wrong),
        gradings={v: sum(count.get(v, 0) for count in counts.values()) for v in versions},
        rounds={v: min(count.get(v, 0) for count in counts.values()) for v in versions},
        busy=sum(grading.busy for done in by_answer.values() for grading in done),
        rejected=rejected,
        accepted=accepted,
        otherwise=otherwise,
        flips=flips,
    )


@dataclass(frozen=True)
class Mutants:
    """What became of the mutants of one model solution.

    Attributes:
        made: how many there are.
        graded: how many of them have been graded.
        survivors: the names of those that got full marks.
        reasons: for names of mutants, why they are right answers.
    """

    made: int
    graded: int
    survivors: list[str]
    reasons: dict[str, str]

    @property
    def equivalent(self) -> list[str]:
        return [name for name in self.survivors if name in self.reasons]

    @property
    def open(self) -> list[str]:
        return [name for name in self.survivors if name not in self.reasons]

    @property
    def killed_share(self) -> float:
        """Of the mutants that are no right answers."""
        return 1 - len(self.open) / max(1, self.graded - len(self.equivalent))


PAGE = """# What the checks were proven with

Written by `make prove`, which grades every stored answer in `tests/answers` and every mutant of the
model solutions in the sandbox, as a loose file. Only gradings by the checks as they are now count
here; where there are fewer than answers, the run has not come to its end. Every grading that is
counted is a line of `proof.jsonl.xz` beside this page, and `make prove` goes on from there.

{about}

## Stored answers

A false rejection is a right answer that lost a mark at any grading; a false acceptance is a wrong
answer that passed a check that it must fail. *Differs*: another check lost, marks outside the range
that is fair, a mistake named that is not its own, or its own not named.

{answers}

## The same marks every time

Each answer was graded again and again, in part while other work kept all cores busy. A flip is an
answer that passed a check at one grading and failed it at another.

{rounds}

## Mutants

A mutant is the model solution with one small change (`jaxercise/proof/mutation.py`). It is killed
when a check fails. What survives and is a right answer all the same stands with its reason in
`tests/mutants/`.

{mutants}
"""


def page(about: dict[str, str], answers: dict[str, Figures], mutants: dict[str, Mutants]) -> str:
    """``docs/proof.md``: what was graded, where, and what came out."""
    versions = sorted({version for f in answers.values() for version in f.gradings})
    of_answers = _table(
        "exercise | right | wrong | told by name | gradings | false rejections "
        "| false acceptances | differs",
        [
            [
                *[name, f.right, f.wrong, f"{f.named} ({f.named / max(1, f.wrong):.0%})"],
                *[sum(f.gradings.values()), len(f.rejected), len(f.accepted), len(f.otherwise)],
            ]
            for name, f in answers.items()
        ],
    )
    of_rounds = _table(
        f"exercise | {' | '.join(f'times on JAX {v}' for v in versions)} | on busy cores | flips",
        [
            [
                *[name, *[f.rounds.get(v, 0) for v in versions]],
                *[f"{f.busy / max(1, sum(f.gradings.values())):.0%}", len(f.flips)],
            ]
            for name, f in answers.items()
        ],
    )
    of_mutants = _table(
        "exercise | mutants | graded | killed | right all the same | survive "
        "| killed of the others",
        [
            [
                *[name, m.made, m.graded, m.graded - len(m.survivors)],
                f"{len(m.equivalent)} ({len(m.equivalent) / max(1, m.made):.0%})",
                *[len(m.open), f"{m.killed_share:.1%}" if m.graded else "not graded"],
            ]
            for name, m in mutants.items()
        ],
    )
    oddities = {
        "lost a mark": {name: f.rejected for name, f in answers.items()},
        "was accepted": {name: f.accepted for name, f in answers.items()},
        "differs": {name: f.otherwise for name, f in answers.items()},
        "flips": {name: f.flips for name, f in answers.items()},
    }
    of_rounds += "".join(
        f"\n* {word}, {name}: {', '.join(which)}"
        for word, by_exercise in oddities.items()
        for name, which in by_exercise.items()
        if which
    )
    of_mutants += "".join(
        f"\n* survives, {name}: `{which}`" for name, m in mutants.items() for which in m.open
    )
    facts = "\n".join(f"* {name}: {value}" for name, value in about.items())
    return PAGE.format(about=facts, answers=of_answers, rounds=of_rounds, mutants=of_mutants)


def _table(head: str, rows: Iterable[Sequence[object]]) -> str:
    rule = "|---" * (head.count("|") + 1) + "|"
    body = [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join([f"| {head} |", rule, *body])
