"""What a class report says, as plain data in the order of its page. It must not know how any of it
is counted or shown.
"""

from dataclasses import asdict, dataclass
from typing import Any

from jaxercise.classreport.similarity import Group


@dataclass(frozen=True)
class Place:
    """A check at which a mistake was made, and by how many students."""

    exercise: str
    check: str
    title: str
    students: int


@dataclass(frozen=True)
class Mistake:
    """A mistake with a name: how many students made it, the points it cost, and how they read of
    it where it was made most often."""

    name: str
    students: int
    points: float
    message: str
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Check:
    """How a check came out among those whose work was judged.

    Attributes:
        passed: students who passed it; likewise ``lost``, and ``unwritten`` who left a stub there.
        share_lost: of those who wrote something for it.
        message: the most frequent reason why it was lost, as students read it.
    """

    exercise: str
    id: str
    title: str
    points: float
    passed: int
    lost: int
    unwritten: int
    share_lost: float
    message: str


@dataclass(frozen=True)
class Marks:
    """Marks of several students, counted in parts of equal width from 0 to ``most``."""

    most: float
    number: int
    mean: float | None
    median: float | None
    counts: tuple[int, ...]


@dataclass(frozen=True)
class OfExercise:
    """What became of one exercise.

    Attributes:
        states: by ``Entry.state``, how many students.
        marks: of all who handed it in.
        by_hand: marks that differ from what the checks gave: by hand, or late.
        unnamed: checks that were lost for something that has no name, and ``lost`` of all.
    """

    name: str
    points: float
    states: dict[str, int]
    marks: Marks
    by_hand: int
    usual_seconds: float | None
    lost: int
    unnamed: int
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class Trouble:
    """Something that went wrong with submissions: "broken", "stopped", "slow" or "mended"."""

    kind: str
    exercise: str
    why: str
    students: tuple[str, ...]


@dataclass(frozen=True)
class AlikeCell:
    exercise: str
    group: Group


@dataclass(frozen=True)
class Alike:
    """Students whose answers to some cells are alike, and what they lost for the same reason."""

    students: tuple[str, ...]
    cells: tuple[AlikeCell, ...]
    same_losses: tuple[str, ...]


@dataclass(frozen=True)
class ClassReport:
    """Everything that the page shows, in its order.

    Attributes:
        ungraded: students of whose work something is not graded.
        changed: students whose work in ``submitted/`` is not what was graded.
        unrecorded: students whose work was graded and who have no mark in the gradebook.
    """

    lesson: str
    points: float
    students: int
    ungraded: tuple[str, ...]
    changed: tuple[str, ...]
    unrecorded: tuple[str, ...]
    mistakes: tuple[Mistake, ...]
    hardest: tuple[Check, ...]
    exercises: tuple[OfExercise, ...]
    totals: Marks
    trouble: tuple[Trouble, ...]
    alike: tuple[Alike, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
