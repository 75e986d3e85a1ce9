"""Verdicts as people read them: lines for a cell and a table for a class.

It must not know how anything was graded.
"""

import html
from collections.abc import Sequence

from jaxercise.verdict import CheckResult

PASSED, FAILED = "✓", "✗"


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
        why = "" if check.passed else f"<br><em>{html.escape(check.message)}</em>"
        rows.append(
            f'<tr><td style="color:{colour};text-align:left">{mark}</td>'
            f'<td style="text-align:left">{html.escape(check.title)}{why}</td>'
            f"<td>{points(earned)}&nbsp;/&nbsp;{points(check.points)}</td></tr>"
        )
    return f"<table>{''.join(rows)}</table>"
