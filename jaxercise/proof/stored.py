"""Stored answers whose marks are known: read from their files, and compared with verdicts.

An answer is a file in ``tests/answers/<exercise>/right`` or ``.../wrong``, or, if it only sets the
variables that a finished notebook holds, in ``.../results/right`` or ``.../results/wrong``. Its
first line says what it is; a wrong one goes on with what it must lose, a fair range of marks and
the names of mistakes:

    # the square root is missing
    # loses: norms-are-global-l2-norms, norms-count-every-leaf
    # fair: 60-85 %
    # mistake: norms-are-squared

This module must not know how answers are graded.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from jaxercise.verdict import Verdict

FAIR = re.compile(r"(\d+)-(\d+) %")
EVERYTHING = "everything"  # in place of all ids: a stub, an empty file
NONE_NAMED = "none named"  # behaviour does not tell which mistake it was


class BadHeader(ValueError):
    """The first lines of a stored answer do not say what they should."""


@dataclass(frozen=True)
class StoredAnswer:
    """An answer and what grading must make of it.

    Attributes:
        path: the file.
        what: what it is, in a line.
        loses: ids of the checks that it must fail; it must pass all others. None means all.
        fair: the least and the most that a person would give, as shares of a loose file's points.
        mistakes: the names that the student must read; no other may be told.
    """

    path: Path
    what: str
    loses: frozenset[str] | None = frozenset()
    fair: tuple[float, float] = (1.0, 1.0)
    mistakes: frozenset[str] = frozenset()

    @property
    def right(self) -> bool:
        return self.path.parent.name == "right"

    @property
    def results(self) -> bool:
        """Whether it sets variables only, for the checks that need a finished notebook."""
        return self.path.parents[1].name == "results"

    @property
    def name(self) -> str:
        """Its place among the answers to its exercise: ``wrong/squared.py``."""
        return "/".join(self.path.parts[-3 if self.results else -2 :])


def read_answer(path: Path) -> StoredAnswer:
    """Read one file's header.

    Raises:
        BadHeader: it does not say what it should.
    """
    lines = path.read_text().splitlines()
    if not lines or not lines[0].startswith("# "):
        raise BadHeader(f"{path}: the first line should say what the answer is")
    what = lines[0][2:]
    if path.parent.name == "right":
        return StoredAnswer(path, what)
    said = [line.partition(": ") for line in lines[1:4]]
    if [head for head, _, _ in said] != ["# loses", "# fair", "# mistake"]:
        raise BadHeader(f"{path}: lines 2 to 4 should begin with # loses: # fair: # mistake:")
    loses, fair, mistakes = (text.strip() for _, _, text in said)
    shares = FAIR.fullmatch(fair)
    if shares is None or not loses or not mistakes:
        raise BadHeader(f"{path}: a line says nothing, or the fair marks are not like 60-80 %")
    return StoredAnswer(
        path,
        what,
        None if loses == EVERYTHING else _names(loses),
        (int(shares[1]) / 100, int(shares[2]) / 100),
        frozenset() if mistakes == NONE_NAMED else _names(mistakes),
    )


def _names(text: str) -> frozenset[str]:
    return frozenset(part.strip() for part in text.split(","))


def read_answers(folder: Path) -> list[StoredAnswer]:
    """All answers to one exercise, right ones first, stored results last.

    Args:
        folder: ``tests/answers/<exercise>``.

    Raises:
        BadHeader: one of them does not say what it should.
    """
    places = ("right", "wrong", "results/right", "results/wrong")
    return [read_answer(path) for place in places for path in sorted(folder.glob(f"{place}/*.py"))]


def told(verdict: Verdict) -> frozenset[str]:
    """The names of all mistakes that the student reads of."""
    return frozenset(check.mistake for check in verdict.checks if check.mistake)


def differences(answer: StoredAnswer, verdict: Verdict) -> list[str]:
    """Where a verdict is not what the answer's header says, in words for the checks' author."""
    due = {check.id for check in verdict.checks}
    lost = {check.id: check.message for check in verdict.checks if not check.passed}
    loses = due if answer.loses is None else answer.loses
    found = [f"names {name}, which is no check" for name in sorted(loses - due)]
    found += [f"lost {name} ({lost[name]})" for name in sorted(lost.keys() - loses)]
    found += [f"passed {name}" for name in sorted((loses & due) - lost.keys())]
    share, (least, most) = verdict.score / verdict.max_score, answer.fair
    if not least <= share <= most:
        found.append(f"got {share:.0%} of the points; fair would be {least:.0%} to {most:.0%}")
    if told(verdict) != answer.mistakes:
        found.append(
            f"was told {_list(told(verdict))}, and its header says {_list(answer.mistakes)}"
        )
    return found


def _list(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)) or NONE_NAMED
