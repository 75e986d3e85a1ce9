"""Verdicts as people read them: lines for a cell and a table for a class.

It must not know how anything was graded.
"""

import html
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from rich.markup import escape
from rich.table import Table

from jaxercise.course import Lesson
from jaxercise.verdict import CheckResult, Verdict

PASSED, FAILED = "✓", "✗"

NO_SANDBOX = (
    "**Graded without a sandbox.** The notebook ran as a process of its own, with limits and a "
    "clean environment, but it could read what other programs of the grader's machine can read, "
    "and use the network. `docs/trust.md` says what else is not protected."
)


def points(value: float) -> str:
    """Points without needless zeros: 2, 0.75."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def as_lines(checks: Sequence[CheckResult]) -> str:
    """One line a check, and under a failed one why."""
    lines = []
    for check in checks:
        mark = PASSED if check.passed else FAILED
        earned = check.points if check.passed else 0.0
        lines.append(f"{mark} {check.title} ({points(earned)} of {points(check.points)})")
        if not check.passed:
            lines.append(f"    {check.message}")
    return "\n".join(lines)


def as_html(checks: Sequence[CheckResult]) -> str:
    """The same as a small table for the output of a graded cell. All words are escaped."""
    rows = []
    for check in checks:
        colour, mark = ("#1a7f37", PASSED) if check.passed else ("#b3261e", FAILED)
        earned = check.points if check.passed else 0.0
        why = "" if check.passed else f"<br><em>{_prose(check.message)}</em>"
        rows.append(
            f'<tr><td style="color:{colour};{CELL_STYLE}">{mark}</td>'
            f'<td style="{CELL_STYLE}">{_prose(check.title)}{why}</td>'
            f'<td style="{CELL_STYLE};white-space:nowrap">'
            f"{points(earned)} / {points(check.points)}</td></tr>"
        )
    return f'<table style="margin:0.5em 0">{"".join(rows)}</table>'


CELL_STYLE = "text-align:left;vertical-align:top;padding:0.15em 0.7em 0.15em 0"


def _prose(text: str) -> str:
    """Escaped text in which `code` is set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def log(verdict: Verdict, notes: Sequence[str], seconds: float) -> str:
    """How a submission was graded, for the instructor."""
    score = f"{points(verdict.score)} of {points(verdict.max_score)}"
    lines = [f"{time.strftime('%Y-%m-%d %H:%M:%S')}: {score} points in {seconds:.1f} s"]
    lines += [f"note: {note}" for note in notes]
    for check in verdict.checks:
        if not check.passed:
            mistake = f" [{check.mistake}]" if check.mistake else ""
            lines.append(f"{FAILED} {check.id}{mistake}: {check.message}")
    return "\n".join(lines) + "\n"


def as_json_line(student: str, verdict: Verdict, notes: Sequence[str], more: Mapping) -> str:
    """A submission as one line of JSON."""
    return json.dumps(
        {"student": student, **verdict.as_json(), "notes": list(notes), **more}, ensure_ascii=False
    )


def class_table(
    lesson: Lesson, marked: Sequence[Any], scores: Mapping[str, Mapping[str, float]]
) -> Table:
    """Students by exercises, with totals and what went wrong first.

    Args:
        lesson: gives the columns.
        marked: ``classroom.Marked`` of every submission, for the reasons.
        scores: recorded points by student and exercise.
    """
    total = sum(exercise.points for exercise in lesson.exercises)
    names = [exercise.name.partition("-") for exercise in lesson.exercises]
    table = Table(
        title=f"{lesson.name}: {len(scores)} students, {points(total)} points",
        caption=" · ".join(f"{number} {name}" for number, _, name in names),
    )
    table.add_column("student")
    for number, _, _ in names:
        table.add_column(number, justify="right")
    table.add_column("total", justify="right")
    table.add_column("what went wrong first", overflow="fold")
    reasons = {(m.submission.student, m.submission.exercise): first_reason(m) for m in marked}
    for student in sorted(scores):
        mine = scores[student]
        wrong = (reasons.get((student, exercise.name), "") for exercise in lesson.exercises)
        table.add_row(
            escape(student),
            *(points(mine.get(exercise.name, 0.0)) for exercise in lesson.exercises),
            f"[bold]{points(sum(mine.values()))}[/bold]",
            escape(next((reason for reason in wrong if reason), "")),
        )
    return table


def first_reason(marked: Any) -> str:
    """The first failed check of a submission, with its exercise's number, on one line."""
    for check in marked.verdict.checks:
        if not check.passed:
            number = marked.submission.exercise.split("-")[0]
            return f"{number}: {check.message.splitlines()[0]}"
    return ""
