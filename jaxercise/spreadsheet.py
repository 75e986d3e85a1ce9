"""Writes tables as CSV that spreadsheets and other programs read alike, and run nothing of.

It must not know what is in a table.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from jaxercise.kept import write_whole
from jaxercise.settings import CourseError

Cell = str | float | bool | None
Row = Sequence[Cell]

BEGINS_FORMULA = re.compile("[\\s\\x00-\\x1f\ufeff]*[-=+@\uff0d\uff1d\uff0b\uff20]|[\t\r\n]")


def write(path: Path, rows: Iterable[Row], byte_order_mark: bool) -> None:
    """Write a CSV, whole or not at all.

    Raises:
        CourseError: it cannot be written there.
    """
    path = path.resolve()  # what a link leads to is written, not the link
    if path.exists() and not path.is_file():
        raise CourseError(f"{path} is there, and no file.")
    text = io.StringIO(newline="")
    csv.writer(text).writerows([_as_text(cell) for cell in row] for row in rows)
    try:
        write_whole(path, "\ufeff" * byte_order_mark + text.getvalue())
    except OSError as error:
        raise CourseError(f"{path} cannot be written: {error.strerror}.") from error


def _as_text(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, str):
        return harmless(cell)
    return f"{round(cell, 6) + 0.0:.6f}".rstrip("0").rstrip(".")  # + 0.0: no minus before a zero


def harmless(text: str) -> str:
    """The text, with an apostrophe in front if a spreadsheet would take it for a formula."""
    return f"'{text}" if BEGINS_FORMULA.match(text) else text
