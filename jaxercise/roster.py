"""Reads the roster: a CSV that says by which names another system knows the students.

It must not know what is exported, nor to where.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from jaxercise.settings import CourseError


@dataclass(frozen=True)
class Person:
    """A student, as other systems know them; what is not known is empty.

    Attributes:
        student: the id in nbgrader, which is the name of the folder in ``submitted/``.
        canvas_id: the number that Canvas itself gave.
        sis_user_id, sis_login_id: what the university's own system gave, as Canvas shows it.
        id_number: the "ID number" of the Moodle profile.
    """

    student: str
    name: str = ""
    canvas_id: str = ""
    sis_user_id: str = ""
    sis_login_id: str = ""
    section: str = ""
    email: str = ""
    id_number: str = ""


COLUMNS = tuple(field.name for field in fields(Person))


def read_roster(path: Path) -> dict[str, Person]:
    """Everybody in a roster, by student id.

    It is read as UTF-8, with commas or semicolons, as spreadsheets write it.

    Raises:
        CourseError: something about it is wrong; the message says where.
    """
    lines = _lines(path)
    if not lines:
        raise CourseError(f"The roster {path} is empty.")
    (_, head), *rows = lines
    columns = [name.strip() for name in head]
    _check_columns(path, columns)
    seen: dict[str, int] = {}
    people: dict[str, Person] = {}
    for number, row in rows:
        where = f"The roster {path}, line {number}"
        if len(row) != len(columns):
            raise CourseError(f"{where}: {len(row)} fields, but {len(columns)} columns.")
        values = dict(zip(columns, row))
        student = values.pop("student")
        if not student:
            raise CourseError(f"{where}: no student.")
        if student in seen:
            raise CourseError(f"{where}: '{student}' is in line {seen[student]} already.")
        seen[student] = number
        people[student] = Person(student, **{name: text.strip() for name, text in values.items()})
    return people


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """The rows that are not blank, each with the number of its last line."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            file.seek(0)
            delimiter = ";" if ";" in first and "," not in first else ","
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            return [(reader.line_num, row) for row in reader if any(row)]
    except FileNotFoundError:
        raise CourseError(f"There is no roster {path}.") from None
    except OSError as error:
        raise CourseError(f"The roster {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise CourseError(f"The roster {path} is not UTF-8; save it as 'CSV UTF-8'.") from None
    except csv.Error as error:
        raise CourseError(f"The roster {path}, line {reader.line_num}: {error}.") from None


def _check_columns(path: Path, columns: Sequence[str]) -> None:
    for name in columns:
        if name not in COLUMNS:
            known = ", ".join(COLUMNS)
            raise CourseError(f"The roster {path} has an unknown column '{name}'; known: {known}.")
    for name in repeated(columns):
        raise CourseError(f"The roster {path} has the column '{name}' twice.")
    if "student" not in columns:
        raise CourseError(f"The roster {path} has no column 'student'.")


def repeated(values: Iterable[str]) -> list[str]:
    """Those that are there more than once; empty ones do not count."""
    return sorted(value for value, count in Counter(values).items() if value and count > 1)
