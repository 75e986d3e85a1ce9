"""Reads one notebook file of whatever version and state, as far as it can be read.

What is wrong becomes a reason in words for the student. It must not know about courses.
"""

import errno
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from jaxercise.matching import Cell, plain_cells

MAX_NOTEBOOK_BYTES = 50 * 2**20
MAX_DIGITS = 18  # longer integers mean nothing in a notebook, and take long to read
CELL_ID = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


class Unreadable(Exception):
    """A file cannot be read; the message goes on from "The notebook file ..."."""


@dataclass(frozen=True)
class Found:
    """A student's notebook, normalised, or why there is none.

    Attributes:
        notebook: a valid notebook with the cells' types, sources, ids and grade ids, and no more.
        notes: for the instructor; without a notebook the first is the reason, for the student.
    """

    notebook: NotebookNode | None
    notes: tuple[str, ...] = ()


def read(path: Path) -> Found:
    """Read a notebook of version 2, 3 or 4 without trusting anything in it.

    Links, other special files and files above ``MAX_NOTEBOOK_BYTES`` are refused.
    """
    try:
        content = _parse(read_bytes(path, MAX_NOTEBOOK_BYTES))
        return Found(_normalised(content))
    except Unreadable as error:
        return Found(None, (f"The notebook file {error}.",))


def read_bytes(path: Path, most: int) -> bytes:
    """The content of a regular file.

    Raises:
        Unreadable: it is a link, a special file, larger than ``most`` bytes, or cannot be opened.
    """
    # without O_NONBLOCK, opening a named pipe waits for a writer
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        if path.is_symlink():
            raise Unreadable("is a link, and links are not followed")
        with open(os.open(path, flags), "rb") as file:  # noqa: PTH123  (a descriptor, not a path)
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise Unreadable("is not a regular file")
            content = file.read(most + 1) if status.st_size <= most else None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Unreadable("is a link, and links are not followed") from None
        raise Unreadable("cannot be opened") from None
    if content is None or len(content) > most:
        limit = f"{most // 2**20} MiB" if most >= 2**20 else f"{most} bytes"
        raise Unreadable(f"is larger than {limit}, which is refused")
    return content


def _parse(content: bytes) -> Any:
    text = content.decode(json.detect_encoding(content), "replace").strip("\ufeff\0 \t\r\n")
    if not text:
        raise Unreadable("is empty")
    try:
        return json.loads(
            text, strict=False, parse_int=lambda digits: int(digits[: MAX_DIGITS + 1])
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}"
        raise Unreadable(f"cannot be read: it is cut off or damaged ({where})") from None
    except RecursionError:
        raise Unreadable("cannot be read: it is nested too deeply") from None
    except ValueError:
        raise Unreadable("cannot be read: it is damaged") from None


def _normalised(content: Any) -> NotebookNode:
    if not isinstance(content, dict):
        raise Unreadable("cannot be read: it holds no notebook")
    if "cells" not in content and "worksheets" in content:
        content = {"cells": _cells_of_version_3(content["worksheets"])}
    if "cells" not in content:
        raise Unreadable("cannot be read: it holds no notebook")
    cells = content["cells"]
    if not isinstance(cells, list) or (cells and not any(isinstance(c, dict) for c in cells)):
        raise Unreadable("cannot be read: its list of cells is damaged")
    return nbformat.from_dict(
        {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {},
            "cells": _as_version_4(plain_cells(content)),
        }
    )


def _cells_of_version_3(worksheets: Any) -> list[dict[str, Any]]:
    """The cells as they would be in version 4, where code is "source" and headings are text."""
    if not isinstance(worksheets, list):
        raise Unreadable("cannot be read: its list of cells is damaged")
    cells = []
    for sheet in worksheets:
        inside = sheet.get("cells") if isinstance(sheet, dict) else None
        for cell in inside if isinstance(inside, list) else []:
            if not isinstance(cell, dict):
                continue
            if cell.get("cell_type") == "code":
                cell = cell | {"source": cell.get("input")}
            elif cell.get("cell_type") in ("heading", "html"):
                cell = cell | {"cell_type": "markdown"}
            cells.append(cell)
    return cells


def _as_version_4(cells: list[Cell]) -> list[dict[str, Any]]:
    """Whole cells; an id that is missing, not allowed or there twice gives way to a new one."""
    free = {cell.id for cell in cells if 0 < len(cell.id) <= 64 and set(cell.id) <= CELL_ID}
    taken, number, made = set(free), 0, []
    for cell in cells:
        cell_id = cell.id
        if cell_id in free:
            free.remove(cell_id)
        else:
            number += 1
            while f"cell-{number}" in taken:
                number += 1
            cell_id = f"cell-{number}"
        metadata = {"nbgrader": {"grade_id": cell.label}} if cell.label else {}
        whole: dict[str, Any] = {
            "cell_type": cell.kind,
            "id": cell_id,
            "source": cell.source,
            "metadata": metadata,
        }
        if cell.kind == "code":
            whole |= {"outputs": [], "execution_count": None}
        made.append(whole)
    return made
