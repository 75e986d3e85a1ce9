"""What grading says: one result a check, one verdict an answer. Plain data, written as JSON.

It must not know how a check was run or where a mark is kept.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class CheckResult:
    """One check's outcome.

    Attributes:
        id: the check's name, ``survivors-are-scaled``.
        title: what the check shows, for the student.
        cell: grade id of the graded cell that it belongs to.
        points: what it is worth, earned whole when ``passed``, else 0.
        passed: True only after the check ran to its end and agreed.
        message: why not, in the student's words; empty when passed.
        mistake: the name of the mistake that was recognised, ``wrong-sign``; empty if none was.
    """

    id: str
    title: str
    cell: str
    points: float
    passed: bool
    message: str = ""
    mistake: str = ""


@dataclass(frozen=True)
class Verdict:
    """The results of all checks that were due for one answer."""

    exercise: str
    checks: tuple[CheckResult, ...]

    @property
    def score(self) -> float:
        return round(sum(check.points for check in self.checks if check.passed), 6)

    @property
    def max_score(self) -> float:
        return round(sum(check.points for check in self.checks), 6)

    @property
    def full_marks(self) -> bool:
        return bool(self.checks) and all(check.passed for check in self.checks)

    def cell_score(self, cell: str) -> float:
        """Points that the checks of one graded cell earned."""
        return round(sum(c.points for c in self.checks if c.cell == cell and c.passed), 6)

    def of_cell(self, cell: str) -> tuple[CheckResult, ...]:
        return tuple(check for check in self.checks if check.cell == cell)

    def as_json(self) -> dict[str, Any]:
        return {
            "exercise": self.exercise,
            "score": self.score,
            "max_score": self.max_score,
            "checks": [asdict(check) for check in self.checks],
        }


def from_json(data: dict[str, Any]) -> Verdict:
    """Rebuild what ``as_json`` wrote."""
    return Verdict(data["exercise"], tuple(CheckResult(**check) for check in data["checks"]))


def failed(exercise: str, due: Iterable[CheckResult], why: str) -> Verdict:
    """Zero for every check that was due, with one reason: an answer that could not be judged."""
    return Verdict(
        exercise, tuple(CheckResult(c.id, c.title, c.cell, c.points, False, why) for c in due)
    )
