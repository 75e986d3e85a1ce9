"""Exports, through nbgrader's own export command, of a gradebook with awkward names in it."""

import csv
import json
import logging
import os
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import ExportApp
from sqlalchemy.exc import SAWarning

from jaxercise import gradebook
from jaxercise.kept import Place, write_whole
from jaxercise.settings import CourseError
from jaxercise.spreadsheet import harmless, write
from jaxercise.verdict import CheckResult, Verdict

LESSON, SECOND = "first, steps", "more"  # nbgrader's own export breaks on a comma
SCALE, LOSS = "1-scale", "2-loss"
ADA, QUOTED, LINES, FORMULA = "ada", 'o"neil, x', "two\nlines", '=HYPERLINK("http://x")'
ABSENT = "Żółć"
CONFIG = 'c = get_config()\nc.CourseDirectory.course_id = "c"\n'
MESSAGE = '=2+5, he said "no"\nand more; ünïcode'


def fill(gb: Gradebook) -> None:
    """Two lessons; penalties, marks by hand, extra credit; one student who handed in nothing."""
    for lesson, notebooks in ((LESSON, (SCALE, LOSS, "0-reading")), (SECOND, ("only",))):
        gb.add_assignment(lesson)
        for notebook in notebooks:
            gb.add_notebook(notebook, lesson)
            if notebook != "0-reading":
                for cell in ("a", "b"):
                    gb.add_grade_cell(cell, notebook, lesson, max_score=2.5, cell_type="code")
    gb.add_student(ADA, first_name="Ada", last_name="=Lovelace", email="Ada@x.org")
    for student in (QUOTED, LINES, FORMULA, ABSENT):
        gb.add_student(student)
    for student in (ADA, QUOTED, LINES, FORMULA):
        gb.add_submission(LESSON, student)
        for notebook in (SCALE, LOSS):
            for cell, score in (("a", 0.1), ("b", 0.2)):
                grade = gb.find_grade(cell, notebook, LESSON, student)
                grade.auto_score, grade.needs_manual_grade = score, False
    gb.find_grade("a", SCALE, LESSON, ADA).manual_score = 2.0
    gb.find_grade("b", SCALE, LESSON, ADA).extra_credit = 0.5
    gb.find_submission_notebook(SCALE, LESSON, ADA).late_submission_penalty = 0.25
    gb.find_submission_notebook(LOSS, LESSON, ADA).late_submission_penalty = 5.0
    gb.db.commit()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A course's folder with a gradebook, made once."""
    root = tmp_path_factory.mktemp("exports")
    (root / "nbgrader_config.py").write_text(CONFIG)
    with gradebook.open_gradebook(root) as gb, warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)  # nbgrader adds to sessions that flush late
        fill(gb)
    check = CheckResult("+ok", "It is right", "a", 0.1, True)
    checks = (
        check,
        replace(check, id="no", points=2.4, passed=False, message=MESSAGE, mistake="m"),
    )
    place = Place(root, LESSON, ADA, SCALE)
    stored = {"key": "k", "verdict": Verdict(SCALE, checks).as_json(), "repairs": []}
    write_whole(place.verdict, json.dumps(stored))
    return root


@pytest.fixture
def root(made, tmp_path, monkeypatch):
    """The folder, with no export nor roster in it."""
    for path in made.glob("*.csv"):
        path.unlink()
    (made / "nbgrader_config.py").write_text(CONFIG)
    monkeypatch.chdir(made)
    return made


def export(which: str, *options: str) -> list[list[str]]:
    """Run nbgrader's export in this process; what was written, read again."""
    app = ExportApp()
    app.initialize([f"--exporter=jaxercise.exports.{which}", "--to=out.csv", *options])
    app.log.propagate = True  # to pytest
    app.start()
    return read(Path("out.csv"))


def read(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, strict=True))


def roster(root: Path, text: str, encoding: str = "utf-8") -> None:
    (root / "roster.csv").write_text(text, encoding=encoding)
    (root / "nbgrader_config.py").write_text(CONFIG + 'c.ToLms.roster = "roster.csv"\n')


def test_canvas_has_its_columns_points_and_whoever_handed_in_nothing_stays_empty(root):
    head, possible, *rows = export("Canvas")
    assert head[:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    exercises = [f"{LESSON}: {SCALE}", f"{LESSON}: {LOSS}", f"{LESSON}: total"]
    assert head[5:] == [*exercises, "more: only", "more: total"]
    assert possible == ["Points Possible", "", "", "", "", "5", "5", "10", "5", "5"]
    by_id = {row[3]: row for row in rows}
    assert set(by_id) == {ADA, QUOTED, LINES, f"'{FORMULA}", ABSENT}
    # by hand 2, 0.2 and 0.5 more, 0.25 off; a penalty takes no more than there is
    assert by_id[ADA] == ["'=Lovelace, Ada", "", ADA, ADA, "", "2.45", "0", "2.45", "", ""]
    assert by_id[QUOTED] == [QUOTED, "", QUOTED, QUOTED, "", "0.3", "0.3", "0.6", "", ""]
    assert by_id[ABSENT] == [ABSENT, "", ABSENT, ABSENT, "", "", "", "", "", ""]
    assert not Path("out.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def test_an_id_that_had_to_be_changed_is_told(root, caplog):
    caplog.set_level(logging.WARNING)
    export("Moodle")
    assert "lest it be a formula" in caplog.text and "HYPERLINK" in caplog.text


def test_only_those_lessons_students_and_columns_that_were_asked_for(root):
    rows = export("Canvas", f"--assignment={LESSON}", f"--student={QUOTED}", "--student=ada")
    assert rows[0][5:] == [f"{LESSON}: {SCALE}", f"{LESSON}: {LOSS}", f"{LESSON}: total"]
    assert [row[3] for row in rows[2:]] == [ADA, QUOTED]
    assert export("Canvas", "--Canvas.columns=totals")[0][5:] == [f"{LESSON}: total", "more: total"]
    assert export("Moodle", "--Moodle.columns=exercises", "--assignment=more")[0] == [
        "Username",
        "more: only",
    ]


@pytest.mark.parametrize("option", ["--assignment=nothing", "--student=nobody"])
def test_whom_the_gradebook_does_not_know_is_told(root, caplog, option):
    with pytest.raises(SystemExit) as stopped:
        export("Checks", option)
    assert stopped.value.code == 1
    assert option.split("=")[1] in caplog.text and not Path("out.csv").exists()


ROSTER = (
    "student,name,canvas_id,section,email,id_number\r\n"
    'ada,"Lovelace, Ada",17,A,ada@uni,007\r\n'
    '"o""neil, x",,18,A,o@uni,008\r\n'
    '"two\nlines",@two,19,B,t@uni,009\r\n'
    '"=HYPERLINK(""http://x"")",X,,B,h@uni,010\r\n'
    "Żółć,Żółć,,B,z@uni,011\r\n"
    "late,Late,99,B,l@uni,012\r\n"
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_roster_says_who_is_who(root, encoding):
    roster(root, ROSTER, encoding)
    rows = export("Canvas")[2:]
    assert [row[:5] for row in rows if row[1]] == [
        ["Lovelace, Ada", "17", "", "", "A"],
        [QUOTED, "18", "", "", "A"],
        ["'@two", "19", "", "", "B"],
    ]
    assert [row[:5] for row in rows if row[0] == ABSENT] == [[ABSENT, "", ABSENT, ABSENT, "B"]]
    head, *rows = export("Moodle")
    assert head[0] == "Email address"
    assert {row[0]: row[1:] for row in rows}["ada@uni"] == ["2.45", "0", "2.45", "", ""]
    assert {row[0]: row[1:] for row in rows}["z@uni"] == [""] * 5
    head, *rows = export("Moodle", "--Moodle.identifier=id_number")
    assert head[0] == "ID number" and rows[-1][0] == "011" and len(rows) == 5


def test_a_roster_with_semicolons_and_only_some_columns(root):
    rest = "".join(f'"{name}";\n' for name in ("two\nlines", ABSENT, '=HYPERLINK(""http://x"")'))
    roster(root, 'student;sis_user_id\nada; s1 \n\n"o""neil, x";s2\n' + rest)
    assert {tuple(row[:4]) for row in export("Canvas")[2:]} >= {
        ("'=Lovelace, Ada", "", "s1", ""),
        (QUOTED, "", "s2", ""),
        (LINES, "", LINES, LINES),
    }
    assert export("Moodle")[0][0] == "Username"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("student,name\nada,Ada\n", "not in the roster roster.csv: '=HYPERLINK"),
        (ROSTER + "ada,Again,,,,\n", "line 9: 'ada' is in line 2 already"),
        ("student,phone\nada,1\n", "unknown column 'phone'"),
        ("student,name,name\n", "the column 'name' twice"),
        ("name\nAda\n", "no column 'student'"),
        ("student,name\nada\n", "line 2: 1 fields, but 2 columns"),
        ("student,name\n,Ada\n", "line 2: no student"),
        ('student,name\nada,"Ada\n', "line 2: unexpected end of data"),
        ("", "is empty"),
        (ROSTER.replace(",18,", ",17,"), "The canvas_id '17' stands for 'ada' and 'o\"neil, x'"),
        (None, "There is no roster"),
    ],
)
def test_a_roster_that_is_wrong_is_told_and_nothing_written(root, caplog, text, words):
    roster(root, text or "")
    if text is None:
        (root / "roster.csv").unlink()
    with pytest.raises(SystemExit) as stopped:
        export("Canvas")
    assert stopped.value.code == 1
    assert words in caplog.text
    assert sorted(path.name for path in root.glob("*out*")) == []


def test_a_roster_in_another_encoding_is_told(root, caplog):
    roster(root, "student,name\nada,Müller\n", "latin-1")
    with pytest.raises(SystemExit):
        export("Canvas")
    assert "not UTF-8" in caplog.text


def test_moodle_refuses_a_student_whom_it_could_not_find(root, caplog):
    roster(root, ROSTER.replace("o@uni", ""))
    with pytest.raises(SystemExit):
        export("Moodle")
    assert "No email is known of 'o\"neil, x'" in caplog.text and not Path("out.csv").exists()


def test_checks_one_by_one_with_the_mark_that_counts(root, caplog):
    caplog.set_level(logging.WARNING)
    head, *rows = export("Checks")
    assert head[0] == "\ufeffstudent" and len(head) == 12  # for Excel
    ours = [row for row in rows if row[:3] == [ADA, LESSON, SCALE]]
    where = [ADA, LESSON, SCALE]
    assert ours == [
        [*where, "a", "'+ok", "It is right", "0.1", "0.1", "true", "", "", "2"],
        [*where, "a", "no", "It is right", "2.4", "0", "false", "m", f"'{MESSAGE}", "2"],
        [*where, "b", *[""] * 7, "0.7"],
    ]
    others = [row for row in rows if row[:3] == [LINES, LESSON, LOSS]]
    assert [row[3:] for row in others] == [["a", *[""] * 7, "0.1"], ["b", *[""] * 7, "0.2"]]
    assert "no verdict is kept" in caplog.text and "another mark" not in caplog.text


def test_a_verdict_that_is_not_in_the_gradebook_yet_is_told(root, caplog):
    caplog.set_level(logging.WARNING)
    path = Place(root, LESSON, ADA, SCALE).verdict
    before = path.read_text()
    path.write_text(before.replace('"points": 0.1', '"points": 0.05'))
    try:
        export("Checks", "--student=ada")
    finally:
        path.write_text(before)
    assert f"ada, {LESSON}, {SCALE}: the gradebook has another mark" in caplog.text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        *((sign + "1", "'" + sign + "1") for sign in "=+-@\t\r\n"),
        (" \u00a0=1", "' \u00a0=1"),
        ("\uff1d1", "'\uff1d1"),
        ("a=1", "a=1"),
        ("", ""),
        ("é", "é"),
    ],
)
def test_no_text_is_a_formula(text, written):
    assert harmless(text) == written


def test_what_is_written_is_read_again_the_same(tmp_path):
    rows = [
        ["a,b", 'c"d', "e\nf", "g\r\nh", "ü;\x1b", " i "],
        [1.0, 0.1 + 0.2, -0.0, 1e9, -2, 1e-9],
    ]
    write(tmp_path / "x.csv", rows, False)
    assert read(tmp_path / "x.csv") == [rows[0], ["1", "0.3", "0", "1000000000", "-2", "0"]]


def test_a_folder_in_its_place_is_told_and_a_link_is_followed(tmp_path):
    with pytest.raises(CourseError, match="no file"):
        write(tmp_path, [], False)
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    write(tmp_path / "link.csv", [["x"]], False)
    assert read(tmp_path / "real.csv") == [["x"]] and (tmp_path / "link.csv").is_symlink()


@pytest.mark.slow
def test_the_command_as_the_documentation_has_it(root):
    bin_folder = str(Path(sys.executable).parent)
    env = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"}
    roster(root, "student,name\nada,Ada\n")

    def nbgrader(*options: str) -> subprocess.CompletedProcess:
        command = [sys.executable, "-m", "nbgrader", "export", *options]
        return subprocess.run(command, env=env, capture_output=True, text=True)

    done = nbgrader("--exporter=jaxercise.exports.Canvas", "--to=canvas.csv")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "Nothing was written. In the gradebook, but not in the roster" in done.stderr
    assert not Path("canvas.csv").exists()
    done = nbgrader("--exporter=jaxercise.exports.Canvas", "--to=canvas.csv", "--student=ada")
    assert done.returncode == 0, done.stderr
    assert [row[0] for row in read(Path("canvas.csv"))] == ["Student", "Points Possible", "Ada"]
