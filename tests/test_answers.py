"""Every stored answer, right and wrong: right ones get full marks, wrong ones lose what they say.

One line adds a case: a file in tests/answers/<exercise>/right or .../wrong. Its first line says
what it is; a wrong one's second line is "# loses: check-id, check-id".
"""

from pathlib import Path

import pytest

from jaxercise import classroom

ANSWERS = Path(__file__).parent / "answers"
EXERCISES = sorted(path.name for path in ANSWERS.iterdir() if path.is_dir())


def loses(path: Path) -> set[str]:
    """The ids of the checks that the answer must fail: those its second line names, or none."""
    lines = path.read_text().splitlines()
    if path.parent.name == "right":
        return set()
    head, _, ids = lines[1].partition(":")
    assert head == "# loses" and ids.strip(), f"{path.name}: the second line names no check"
    return {part.strip() for part in ids.split(",")}


@pytest.mark.parametrize("exercise", EXERCISES)
def test_every_answer_loses_exactly_what_it_should(the_course, exercise):
    files = sorted((ANSWERS / exercise).glob("*/*.py"))
    assert len([f for f in files if f.parent.name == "right"]) >= 8
    verdicts = classroom.check_files(the_course, exercise, files, classroom.default_workers())
    wrong = []
    for path, verdict in zip(files, verdicts):
        assert path.read_text().startswith("# "), f"{path.name}: the first line says what it is"
        due = {check.id for check in verdict.checks}
        assert verdict.checks and loses(path) <= due, f"{path.name} names a check that is not there"
        lost = {check.id for check in verdict.checks if not check.passed}
        if lost != loses(path):
            reasons = {check.id: check.message for check in verdict.checks if not check.passed}
            wrong.append(f"{path.parent.name}/{path.name}: lost {reasons}, not {loses(path)}")
        assert verdict.full_marks == (path.parent.name == "right") or wrong
    assert not wrong, "\n".join(wrong)
