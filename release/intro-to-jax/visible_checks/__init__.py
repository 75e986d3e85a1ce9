"""The checks that you can see: ``visible_checks.run("dropout-mask")`` in a graded cell.

They look at your functions and variables and say what is not right yet, and where to read about
it. More is checked after you hand in, but nothing that the notebook does not say. Read the modules
here, one an exercise: they are examples of what the contracts mean. From a terminal, in the folder
of the notebooks, they look at a file of answers:

    python -m visible_checks 1-dropout-keys my_answers.py
"""

import json
import os
import sys
from collections.abc import Collection, Sequence
from itertools import takewhile

from visible_checks.looking import (
    Check,
    Exercise,
    NotYet,
    Seen,
    as_rows,
    as_text,
    look,
    progress,
)

passed_so_far: dict[str, dict[str, int]] = {}  # of each exercise: passed checks of each cell


def run(cell: str) -> None:
    """Look at what this notebook has defined, as far as one graded cell goes, and print the result.

    While a class is graded it does nothing: the hidden checks say more.

    Raises:
        NotYet: a check did not pass.
    """
    if os.environ.get("NBGRADER_EXECUTION") == "autograde":
        return
    exercise = exercise_of(cell)
    due = [check for check in exercise.checks if check.cell == cell]
    seen = look(due, vars(sys.modules["__main__"]))
    passed = passed_so_far.setdefault(exercise.name, {})
    if os.environ.get("NBGRADER_EXECUTION") == "validate":
        seen += missing(exercise.cells, cell, passed)
    passed[cell] = sum(not one.why for one in seen)
    words = f"{as_text(seen)}\n\n{progress(exercise, sum(passed.values()))}"
    if passed[cell] < len(seen):
        raise NotYet(words)
    print(words)


def missing(cells: Sequence[str], cell: str, were_run: Collection[str]) -> list[Seen]:
    """A failed check for each graded cell just before this one that was not run.

    nbgrader's Validate runs a notebook from the top, and by itself says "Success!" where graded
    cells were deleted.
    """
    before = cells[: cells.index(cell)][::-1]
    why = "It was not run. Is it missing? Copy it from a fresh notebook."
    gone = takewhile(lambda name: name not in were_run, before)
    titles = [f"The graded cell '{name}' is there" for name in gone]
    return [Seen(Check(cell, title, "", looks=print, finished=True), why) for title in titles]


def look_at_all(name: str) -> str:
    """All visible checks of an exercise on what a notebook has defined, as a line of JSON."""
    exercise = next(one for one in exercises() if one.name == name)
    seen = look(exercise.checks, vars(sys.modules["__main__"]))
    return json.dumps({"rows": as_rows(seen), "text": as_text(seen)})


def exercises() -> list[Exercise]:
    """All of them; imported here, for graders need none of what they import."""
    from visible_checks import (
        dropout_keys,
        generic_forward,
        gradient_clipping,
        jit_benchmark,
        per_example_grads,
    )

    modules = dropout_keys, per_example_grads, generic_forward, jit_benchmark, gradient_clipping
    return [module.EXERCISE for module in modules]


def exercise_of(cell: str) -> Exercise:
    for exercise in exercises():
        if any(check.cell == cell for check in exercise.checks):
            return exercise
    raise ValueError(f"no exercise has a graded cell {cell!r}")
