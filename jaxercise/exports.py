"""Marks as CSV files for other programs: plugins for ``nbgrader export``.

    nbgrader export --exporter=jaxercise.exports.Canvas --to=canvas.csv

``Canvas`` and ``Moodle`` write what these systems import, ``Checks`` a row for each check.
This module must not know how a mark came about, and must not write to the gradebook.

The marks of an exercise are nbgrader's: what a person gave counts before what the checks gave,
extra credit is added, and the penalty for lateness is taken off, but never below zero. A total is
the sum of its exercises.

Files are UTF-8 with CRLF line ends (RFC 4180). Those for Canvas and Moodle have no byte order mark:
they are for a program, which may take the mark for a part of the first column's name. ``Checks``
has one: it is for spreadsheets, and Excel reads UTF-8 only with it; pandas skips it.

Names and messages are partly the students' own words, and a spreadsheet runs what begins like a
formula. Such texts get an apostrophe in front, everywhere; numbers are written as numbers.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nbgrader.api import Assignment, Gradebook, Student
from nbgrader.plugins import ExportPlugin
from traitlets import CaselessStrEnum, Unicode

from jaxercise import kept
from jaxercise.marks import Column, Mark, Marks, cells_in, columns_of, marks_in
from jaxercise.roster import COLUMNS, Person, read_roster, repeated
from jaxercise.settings import CourseError
from jaxercise.spreadsheet import Row, harmless, write
from jaxercise.verdict import Verdict


class ToFile(ExportPlugin):
    """What the plugins have in common: whom and what they export, and how it is written."""

    usual_name = ""
    byte_order_mark = False

    def export(self, gradebook: Gradebook) -> None:
        path = Path(self.to or self.usual_name)
        try:
            write(path, self.rows(gradebook), self.byte_order_mark)
        except CourseError as error:
            self.log.error("Nothing was written. %s", error)
            sys.exit(1)
        self.log.info("Wrote %s", path)

    def rows(self, gradebook: Gradebook) -> list[Row]:
        raise NotImplementedError

    @property
    def root(self) -> Path:
        """The course's folder."""
        app: Any = self.parent
        return Path(app.coursedir.root) if app else Path.cwd()

    def lessons(self, gradebook: Gradebook) -> list[Assignment]:
        known = {lesson.name: lesson for lesson in gradebook.assignments}
        if not known:
            raise CourseError("The gradebook holds no lesson yet: `jaxercise grade` fills it.")
        return [known[name] for name in _chosen("lesson", known, self.assignment)]

    def students(self, gradebook: Gradebook) -> dict[str, Student]:
        known = {student.id: student for student in gradebook.students}
        return {name: known[name] for name in sorted(_chosen("student", known, self.student))}


def _chosen(kind: str, known: Iterable[str], wanted: Sequence[object]) -> list[str]:
    """Of what the gradebook knows, what was asked for; all if nothing was."""
    names = [str(name) for name in wanted]
    for name in names:
        if name not in known:
            raise CourseError(f"The gradebook has no {kind} '{name}'.")
    return [name for name in known if not names or name in names]


class ToLms(ToFile):
    """What the plugins for learning management systems have in common.

    ``c.ToLms.roster`` sets it for both, ``c.Canvas.roster`` for one.
    """

    roster = Unicode(
        "",
        help="A CSV that says by which names the other system knows the students, relative to the "
        f"course's folder. Columns: {', '.join(COLUMNS)}; all but the first are optional.",
    ).tag(config=True)
    columns = CaselessStrEnum(
        ["all", "exercises", "totals"],
        default_value="all",
        help="What gets a column. Another system that adds up all columns would count points twice "
        "with 'all'.",
    ).tag(config=True)

    def people(self, gradebook: Gradebook) -> list[Person]:
        """Those to export; the gradebook itself may know a name, an address and a number."""
        students = self.students(gradebook)
        listed = read_roster(self.root / self.roster) if self.roster else {}
        if self.roster and (missing := [name for name in students if name not in listed]):
            names = ", ".join(f"'{name}'" for name in missing)
            raise CourseError(f"In the gradebook, but not in the roster {self.roster}: {names}.")
        found = []
        for name, student in students.items():
            person = listed.get(name, Person(name))
            full = ", ".join(filter(None, (student.last_name, student.first_name)))
            known = {
                "name": person.name or full or name,
                "email": person.email or student.email or "",
                "canvas_id": person.canvas_id or student.lms_user_id or "",
            }
            found.append(replace(person, **known))
        return found

    def table(self, gradebook: Gradebook) -> tuple[list[Column], Marks]:
        columns = [
            column
            for lesson in self.lessons(gradebook)
            for column in columns_of(lesson, self.columns)
        ]
        for title in repeated(column.title for column in columns):
            raise CourseError(f"Two columns would be called '{title}'.")
        return columns, marks_in(gradebook)

    def check_ids(self, people: Sequence[Person], field: str) -> None:
        """Two students of one name would get each other's marks."""
        names = [getattr(person, field) for person in people]
        for name in repeated(names):
            same = [f"'{p.student}'" for p, other in zip(people, names) if other == name]
            raise CourseError(f"The {field} '{name}' stands for {' and '.join(same)}.")
        for name in names:
            if harmless(name) != name:
                self.log.warning("%r is written as %r, lest it be a formula", name, harmless(name))


class Canvas(ToLms):
    """The CSV that Canvas imports in its gradebook.

    Assumed, from Canvas's guide to importing grades and from how Canvas reads the file: the first
    five columns have these names and this order; the second row begins with "Points Possible"; a
    student is found by ID (Canvas's own number), else by SIS User ID, else by SIS Login ID, else by
    name; an empty cell changes no mark. A column that no assignment in Canvas is called after is
    offered as a new one.

    For students of whom neither roster nor gradebook knows any of the three, nbgrader's id stands
    as it is for both SIS ids: it is the login or the student number as a rule. It never stands for
    ID, where it could be another student's number.
    """

    usual_name = "canvas.csv"

    def rows(self, gradebook: Gradebook) -> list[Row]:
        people = [_with_sis_ids(person) for person in self.people(gradebook)]
        for field in ("canvas_id", "sis_user_id", "sis_login_id"):
            self.check_ids(people, field)
        columns, marks = self.table(gradebook)
        fixed = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
        head = [*fixed, *(column.title for column in columns)]
        possible: Row = ["Points Possible", "", "", "", "", *(column.points for column in columns)]
        rows: list[Row] = [head, possible]
        for p in people:
            fixed = [p.name, p.canvas_id, p.sis_user_id, p.sis_login_id, p.section]
            rows.append([*fixed, *(column.mark(marks, p.student) for column in columns)])
        return rows


def _with_sis_ids(person: Person) -> Person:
    if person.canvas_id or person.sis_user_id or person.sis_login_id:
        return person
    return replace(person, sis_user_id=person.student, sis_login_id=person.student)


HEADINGS = {"email": "Email address", "id_number": "ID number", "student": "Username"}


class Moodle(ToLms):
    """The CSV that Moodle's grade import takes.

    Assumed, from Moodle's documentation of grade import and from how Moodle reads the file: the
    instructor says on import which column names the student and which grade item each other column
    is; every row must name a student of the course, or nothing is imported; an empty cell is no
    mark; marks above 100 need a larger maximum in Moodle's settings.
    """

    usual_name = "moodle.csv"
    identifier = CaselessStrEnum(
        ["", *HEADINGS],
        default_value="",
        help="What names a student: 'email', 'id_number', or 'student' for nbgrader's id, which is "
        "Moodle's username then. By default the first of these that the roster knows.",
    ).tag(config=True)

    def rows(self, gradebook: Gradebook) -> list[Row]:
        people = self.people(gradebook)
        field = self.identifier or self._usual_identifier()
        if missing := [f"'{p.student}'" for p in people if not getattr(p, field)]:
            # Moodle passes over the empty name and may give the marks to the student above
            raise CourseError(f"No {field} is known of {', '.join(missing)}.")
        self.check_ids(people, field)
        columns, marks = self.table(gradebook)
        rows: list[Row] = [[HEADINGS[field], *(column.title for column in columns)]]
        for p in people:
            rows.append([getattr(p, field), *(column.mark(marks, p.student) for column in columns)])
        return rows

    def _usual_identifier(self) -> str:
        listed = read_roster(self.root / self.roster).values() if self.roster else ()
        known = [f for f in ("email", "id_number") if any(getattr(p, f) for p in listed)]
        return known[0] if known else "student"


class Checks(ToFile):
    """A row for each check of each student, for looking at in a spreadsheet or with pandas.

    Checks come from the verdicts that ``jaxercise grade`` keeps, the cell's mark from the gradebook
    (before a penalty for lateness, which is for the whole notebook). A graded cell without kept
    verdicts, and one that only people mark, has one row without a check.
    """

    usual_name = "checks.csv"
    byte_order_mark = True
    head = (
        *("student", "lesson", "exercise", "cell", "check", "title"),
        *("points_possible", "points_earned", "passed", "mistake", "message", "cell_mark"),
    )

    def rows(self, gradebook: Gradebook) -> list[Row]:
        lessons = [lesson.name for lesson in self.lessons(gradebook)]
        students = self.students(gradebook)
        rows: list[Row] = [self.head]
        for (student, lesson, exercise), cells in cells_in(gradebook).items():
            if lesson not in lessons or student not in students:
                continue
            where = (student, lesson, exercise)
            last = kept.last(kept.Place(self.root, lesson, student, exercise))
            found = last and last[1]
            if found is None:
                self.log.warning("%s, %s, %s: no verdict is kept: jaxercise grade --fresh", *where)
            elif any(found.cell_score(c) != x.auto for c, x in cells.items() if found.of_cell(c)):
                self.log.warning("%s, %s, %s: the gradebook has another mark; grade again", *where)
            rows += [(*where, *rest) for rest in _of_cells(cells, found)]
        return rows


def _of_cells(cells: dict[str, Mark], found: Verdict | None) -> Iterator[Row]:
    checks = found.checks if found else ()
    for c in checks:
        earned = c.points if c.passed else 0.0
        mark = cells[c.cell].final if c.cell in cells else None
        yield (c.cell, c.id, c.title, c.points, earned, c.passed, c.mistake, c.message, mark)
    for cell in sorted(cells.keys() - {c.cell for c in checks}):
        yield (cell, *[None] * 7, cells[cell].final)
