"""An explanation of one check as people and machines read it, for the instructor only.

All that a student could have written is spelt out harmlessly, and indented so that it cannot pass
for a line of ours. It must not know how an explanation is made.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from jaxercise.explain import Explanation
from jaxercise.recording import Exchange
from jaxercise.report import FAILED, PASSED, points
from jaxercise.summaries import Row, harmless, harmless_lines
from jaxercise.verdict import CheckResult
from jaxercise.witness import Frame

NOT_KEPT = "No verdict is kept: it was not graded yet, or what was kept has been removed."
OF_OTHERS = (
    "That verdict was made from something else than what is there now: the submission, the "
    "exercise, its checks,\nthe grader, its settings or versions have changed. `jaxercise grade` "
    "makes a new one."
)
DIFFERS = "WARNING: this is not what the kept verdict says."
BY_CHANCE = (
    "Nothing has changed since it was made, so it differs from run to run, as what is measured or "
    "drawn does: try again."
)


def as_json(explanation: Explanation) -> str:
    """One line of JSON; all but ASCII is escaped, so that a terminal may be shown it."""
    line = json.dumps({**asdict(explanation), "agrees": explanation.agrees})
    return line.replace("\x7f", r"\u007f")  # of ASCII, the one control character that json leaves


def as_text(explanation: Explanation) -> str:
    """Some paragraphs for a terminal."""
    check = explanation.seen
    parts = [
        [
            f"{harmless(explanation.student)} · {explanation.exercise} · {check.id}",
            harmless(check.title),
            f"Worth {points(check.points)} in the graded cell {check.cell}; {explanation.where}",
        ],
        [*_kept(explanation), "", *_now(explanation)],
    ]
    if explanation.notes:
        notes = [line for note in explanation.notes for line in harmless_lines(note)]
        parts.append(["About the notebook", *(f"  | {line}" for line in notes)])
    if explanation.ran:
        parts += [_asked(explanation), *_expected(explanation)]
    return "\n\n".join("\n".join(part) for part in parts)


def _kept(explanation: Explanation) -> list[str]:
    if explanation.kept is None:
        return [NOT_KEPT]
    aged = [] if explanation.kept_is_of_this else [OF_OTHERS]
    return ["The kept verdict", *_result(explanation.kept), *aged]


def _now(explanation: Explanation) -> list[str]:
    said = _result(explanation.seen)
    if not explanation.ran:
        return ["There is no notebook to run", *said]
    how = "this check alone" if explanation.alone else "after the checks before it"
    lines = [f"Run again now, {how}", *said]
    if not explanation.alone and explanation.alone_passed != explanation.seen.passed:
        alone = "passes" if explanation.alone_passed else "fails"
        lines.append(f"Alone it {alone}: what was asked of the answer before it matters.")
    if explanation.agrees is False:
        lines += [DIFFERS, *([BY_CHANCE] if explanation.kept_is_of_this else [])]
    elif explanation.agrees:
        lines.append("It agrees with the kept verdict.")
    return lines


def _result(check: CheckResult) -> list[str]:
    earned = check.points if check.passed else 0.0
    mark, said = (PASSED, "passed") if check.passed else (FAILED, "failed")
    mistake = f" [{check.mistake}]" if check.mistake else ""
    head = f"  {mark} {said}: {points(earned)} of {points(check.points)} points{mistake}"
    return [head, *(f"  | {line}" for line in harmless_lines(check.message))]


def _asked(explanation: Explanation) -> list[str]:
    lines = ["What it asked, and what came back"]
    if not explanation.exchanges:
        why = "what it looks at was asked before" if not explanation.alone else "it asked nothing"
        return [*lines, f"  nothing: {why}"]
    before: dict[tuple[str, str], Exchange] = {}
    last = 0
    for exchange in explanation.exchanges:
        if exchange.number > last + 1:
            lines.append(f"  … {exchange.number - last - 1} more …")
        last = exchange.number
        alike = (exchange.what, exchange.name)
        lines += _exchange(exchange, before.get(alike))
        before[alike] = exchange
    return lines


def _exchange(exchange: Exchange, before: Exchange | None) -> list[str]:
    """One request and its reply; of the request, what is not as in the one ``before``."""
    head = (
        f"  {exchange.number}. {WORDS.get(exchange.what, exchange.what)} {exchange.name}".rstrip()
    )
    lines = [f"{head} ({exchange.seconds:.2f} s)"]
    asked = exchange.asked
    if before is not None:
        asked = tuple(row for row in asked if row not in before.asked)
        if len(asked) < len(exchange.asked):
            rest = "the rest" if asked else "all"
            asked = (*asked, (rest, f"as in {before.number}"))
    for title, found in (("asked", asked), ("seen", exchange.seen)):
        lines += _table(found, f"     {title:<6}")
    if exchange.refused:
        lines.append(f"     seen  no result: {exchange.refused}")
    return lines


WORDS = {
    "value": "read",
    "vjp": "gradient of",
    "run": "run the program of",
    "run_each": "run, for each of several values, the program of",
    "fingerprint": "fingerprint of the program of",
    "optimizer_init": "init of",
    "optimizer_update": "update of",
    "optimizer_trace": "trace",
}


def _expected(explanation: Explanation) -> Iterable[list[str]]:
    if explanation.seen.passed:
        return
    if not explanation.frames:
        yield ["What it expected", "  nothing to show: it did not fail in the check's own code"]
        return
    yield ["What it expected: the check's own values where it failed", *_frames(explanation.frames)]


def _frames(frames: Sequence[Frame]) -> list[str]:
    lines: list[str] = []
    for frame in frames:
        lines += [f"  {frame.where} in {frame.function}", f"     {frame.statement}".rstrip()]
        lines += _table(frame.values, "     ")
        lines += [f"     raised {frame.raised}"] if frame.raised else []
    return lines


def _table(found: Sequence[Row], begin: str) -> list[str]:
    """Rows with their summaries below each other; ``begin`` stands before the first."""
    wide = min(max((len(label) for label, _ in found), default=0), 40)
    start = [begin, *[" " * len(begin)] * len(found)]
    return [f"{start[n]}{label:<{wide}}  {said}" for n, (label, said) in enumerate(found)]
