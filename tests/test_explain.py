"""What an instructor sees of one check: what it asked, what came back, what it expected."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import tiny
from tiny import LESSON, LOSS, SCALE

from jaxercise import explain, explained, judging, kept, sample_class, settings, summaries
from jaxercise.course import load_course, read_notebook
from jaxercise.exhibits import Key, Opaque, StandIn
from jaxercise.recording import FIRST, LAST, MAX_ROWS, Closed, Tape, recorded
from jaxercise.release import release
from jaxercise.settings import CourseError
from jaxercise.student import AnswerError, Gone, Student
from jaxercise.witness import Witness

# the judge's own pytest, inside this one; judging by itself it shows no warnings
pytestmark = pytest.mark.filterwarnings("ignore:Session-scoped fixtures defined as instance")

X = np.float32([[1, 2, 3], [4, 5, 6]])
HOSTILE = "\x1b]0;mine\x07\x7f\x1b[2J[red]all[/red]\u202e\n  ✓ passed: 3 of 3 points\x9b2K"
CONTROL = re.compile(r"[^\S\n ]|[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]")


# --- summaries -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (X, "float32 (2, 3), 1 to 6: 1, 2, 3, 4, 5, …"),
        (np.float32([1, np.nan, np.inf]), "float32 (3,), 1 to 1, 2 of 3 not finite: 1, nan, inf"),
        (np.array([True, False]), "bool (2,), 1 of 2 true: True, False"),
        (np.zeros((0, 3), np.int32), "int32 (0, 3)"),
        (np.float32(0.1), "float32 (): 0.1"),
        (np.array([1.5, -2], ml_dtypes.bfloat16), "bfloat16 (2,), -2 to 1.5: 1.5, -2"),
        (np.array([1 + 2j]), "complex128 (1,): (1+2j)"),
        (Key(3), "key(3)"),
        (Key(3, typed=False), "PRNGKey(3)"),
        (StandIn("sgd", {"learning_rate": 0.5}), "stand-in sgd(learning_rate=0.5)"),
        (Opaque("Dense"), "an object of type Dense"),
        (b"123", "3 bytes"),
        (10**400, "an int of many digits"),
        ("a" * 5000, "'" + "a" * 199 + "…"),
        ([1, 2.5, None], "list of 3: 1, 2.5, None"),
        ((), "tuple of 0"),
    ],
)
def test_values_in_a_line_each(value, said):
    assert summaries.summary(value) == said


def test_nested_data_is_a_line_a_leaf_and_no_more_than_a_dozen():
    params = {"w": X, "b": [X[0], {"c": 1}]}
    assert [label for label, _ in summaries.rows("params", params)] == [
        "params['w']",
        "params['b'][0]",
        "params['b'][1]['c']",
    ]
    many = summaries.rows("p", [X] * 100_000)
    assert len(many) == summaries.MAX_ROWS + 1 and many[-1] == ("p", "… and more")
    deep: list = [X]
    for _ in range(200):
        deep = [deep]
    assert len(summaries.rows("p", deep)) == 1


def test_whatever_a_student_wrote_does_nothing_to_a_terminal():
    for text in (HOSTILE, "".join(map(chr, range(0x110000)))):
        kept_text = summaries.harmless(text, len(text))
        assert not CONTROL.search(kept_text) and "\n" not in kept_text
        kept_text.encode()  # no half of a surrogate pair
    for value in (HOSTILE, Opaque(HOSTILE), {HOSTILE: HOSTILE}, [HOSTILE], (Opaque(HOSTILE),)):
        for row in summaries.rows("it", value):
            assert not CONTROL.search(" ".join(row))
    assert summaries.harmless("Zoë ✓ 数") == "Zoë ✓ 数"


# --- recording -----------------------------------------------------------------------------------

ANSWER = """
import jax, jax.numpy as jnp
total = 0
def f(p, key): return {"y": p["w"] * 2 + jax.random.normal(key, (3,))}
def g(x):
    global total
    total += 1
    raise ValueError("\\x1b[2J" + "no" * 2000)
def h(x): return float(x[0])
"""


def noted(student):
    tape = Tape(running=True)
    return tape, recorded(student, tape)


def test_what_is_asked_of_an_answer_and_comes_back_is_noted(student_of):
    tape, student = noted(student_of(ANSWER))
    f = student.function("f")
    f({"w": X[0]}, Key(1))
    f.each([Key(1), Key(2)], 1, {"w": X[0]}, Key(0))
    assert student.value("total") == 0
    with pytest.raises(AnswerError):
        student.call("g", X)
    trace, run, each, value, call = tape.exchanges
    assert [e.what for e in tape.exchanges] == ["trace", "run", "run_each", "value", "call"]
    assert [e.name for e in tape.exchanges] == ["f", "f", "f", "total", "g"]
    assert ("argument 1['w']", "float32 (3,), 1 to 3: 1, 2, 3") in trace.asked
    assert ("argument 2", "key(1)") in trace.asked
    assert re.fullmatch(r"a program of \d+ bytes", dict(trace.seen)["program"])
    (result,) = run.seen
    assert result[0] == "result['y']" and result[1].startswith("float32 (3,), ")
    assert ("values[1]", "key(2)") in each.asked
    assert ("in place of", "array 2, one run for each of") in each.asked
    assert [label for label, _ in each.seen] == ["result 1['y']", "result 2['y']"]
    assert value.seen == (("result", "0"),) and not value.refused
    assert call.seen == () and call.refused.startswith(r"raised: `g` raised ValueError: \x1b[2J")
    assert len(call.refused) <= 2_001
    assert all(e.seconds >= 0 for e in tape.exchanges)


def test_what_a_call_changed_and_stand_ins_saw_is_noted():
    reply = {"value": None, "changed": ["arguments"], "logs": [{"init": 1, "update": 2}], "x": 1}
    tape, student = noted(Student(lambda request: reply, lambda request: {}))
    student.watch("train", StandIn("sgd"), steps=3)
    (exchange,) = tape.exchanges
    assert exchange.asked == (("argument 1", "stand-in sgd()"), ("steps=", "3"))
    assert exchange.seen == (
        ("result", "None"),
        ("changed", "arguments"),
        ("log of stand-in 1['init']", "1"),
        ("log of stand-in 1['update']", "2"),
    )


def test_no_reply_and_one_that_is_none_are_noted():
    def ask(request):
        if request["name"] == "hangs":
            raise Gone("took too long")
        return {"value": 3, "changed": HOSTILE}

    tape, student = noted(Student(ask, ask))
    for name in ("hangs", "forges"):
        with pytest.raises(AnswerError):
            student.call(name)
    assert [e.refused for e in tape.exchanges] == [
        "took too long",
        "sent back something that is no result",
    ]


def test_a_tape_is_bounded_and_ends():
    tape, student = noted(Student(lambda request: {"value": request["name"]}, lambda request: {}))
    for n in range(1000):
        student.value(f"v{n}")
    assert tape.count == 1000 and len(tape.exchanges) == FIRST + LAST
    assert [e.number for e in tape.exchanges][FIRST - 1 : FIRST + 1] == [FIRST, 1001 - LAST]
    tape.running = False
    student.value("v")
    assert tape.count == 1000
    tape.closed = True
    with pytest.raises(Closed):
        student.value("v")
    tape, student = noted(Student(lambda request: {"value": 1, "changed": [], "logs": []}, dict))
    student.call("f", *range(500))
    assert len(tape.exchanges[0].asked) == MAX_ROWS + 1
    assert tape.exchanges[0].asked[-1] == ("…", f"{500 - MAX_ROWS} lines more")


# --- where a check fails -------------------------------------------------------------------------

CHECKS = '''
import numpy as np
import pytest
from jaxercise.checks import close, number, recognise

FACTOR = 2.0

@pytest.fixture(scope="module")
def asked(student):
    return student.value("x")

@pytest.mark.grade("cell", points=1)
def test_first(student):
    """First"""
    student.value("before")

@pytest.mark.grade("cell", points=1)
def test_of_a_helper(student, asked):
    """Of a helper"""
    compare(student, asked)

def compare(student, found):
    try:
        assert close(np.asarray(found), np.asarray(FACTOR * 3) + 1), f"another {found}"
    except AssertionError:
        recognise(abs(found - 5) < FACTOR, "nearly", f"near")
        raise

@pytest.mark.grade("cell", points=1)
def test_asks_again(student):
    """Asks again"""
    assert student.value("x") > 100 - FACTOR * 2 and True, "small"
'''


def watched(tmp_path, check, x, **more):
    path = tmp_path / "test_it.py"
    path.write_text(CHECKS)
    asked: list[str] = []

    def ask(request):
        asked.append(request["name"])
        return {"value": x}

    tape = Tape()
    witness = Witness(check, tape, **more)
    student = recorded(Student(ask, ask), tape)
    verdict = judging.judge("it", path, student, plugins=[witness])
    return witness, tape, verdict, asked


def test_the_values_of_the_check_are_seen_where_it_failed(tmp_path):
    witness, tape, verdict, asked = watched(tmp_path, "of-a-helper", 5.5)
    (result,) = verdict.checks
    assert (result.id, result.mistake, asked) == ("of-a-helper", "nearly", ["x"])
    assert tape.count == 1  # a fixture asked it
    assert witness.where.startswith("test_it.py:")
    test, helper, first = witness.frames
    assert [f.function for f in witness.frames] == ["test_of_a_helper", "compare", "compare"]
    assert dict(test.values)["asked"] == "5.5" and "student" not in dict(test.values)
    assert dict(helper.values)["abs(found - 5)"] == "0.5" and dict(helper.values)["FACTOR"] == "2"
    assert test.raised == helper.raised == ""  # the check's own words, which are shown
    assert first.statement == "assert close(np.asarray(found), np.asarray(FACTOR * 3) + 1)"
    assert dict(first.values)["np.asarray(FACTOR * 3) + 1"] == "float64 (): 7"
    assert first.raised.startswith("AssertionError: another 5.5")


def test_to_see_the_values_asks_nobody_again(tmp_path):
    witness, tape, _, asked = watched(tmp_path, "asks-again", 5.5)
    assert asked == ["x"] and tape.closed
    assert dict(witness.frames[0].values) == {"100 - FACTOR * 2": "96", "FACTOR": "2"}


def test_earlier_checks_are_judged_but_not_noted(tmp_path):
    _, tape, verdict, asked = watched(tmp_path, "of-a-helper", 7.0, earlier=True)
    assert [(c.id, c.passed) for c in verdict.checks] == [("first", True), ("of-a-helper", True)]
    assert asked == ["before", "x"] and [e.name for e in tape.exchanges] == ["x"]
    assert watched(tmp_path, "no-such", 7.0)[2].checks == ()


# --- which check of whose answer -----------------------------------------------------------------


@pytest.fixture
def course(tmp_path):
    course = tiny.build(tmp_path)
    (tmp_path / "submitted" / "ada" / LESSON).mkdir(parents=True)
    (tmp_path / "submitted" / "anna [2]" / LESSON).mkdir(parents=True)
    return course


@pytest.mark.parametrize(
    "name",
    [
        "loss-of-one-row-is-a-number",
        "test_loss_of_one_row_is_a_number",
        "One number, for one row  too",
    ],
)
def test_a_check_goes_by_its_id_its_test_or_its_title(course, name):
    found = explain.find(course, "anna [2]", name)
    assert found.check.id == "loss-of-one-row-is-a-number" and found.exercise.name == LOSS
    assert found.submission.student == "anna [2]"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("eve", "double-has-its-gradient"), "The students are: ada, anna [2]."),
        (("../ada", "double-has-its-gradient"), "no student named '../ada'"),
        (("anna", "double-has-its-gradient"), "Is it anna [2]?"),
        (("ada", "double-has-a-gradient"), "Is it double-has-its-gradient?"),
        (("ada", "\x1b[2J"), r"no check named '\x1b[2J'"),
        (("ada", "nothing"), "every-number-is-doubled, double-has-its-gradient, "),
        (("ada", "double-has-its-gradient", "", "loss"), "The checks are: loss-is-the-mean"),
        (("ada", "double-has-its-gradient", "other"), f"The lessons are: {LESSON}."),
        (("ada", "double-has-its-gradient", "", "3-x"), f"The exercises are: {SCALE}, {LOSS}."),
    ],
)
def test_unknown_names_are_told_with_what_there_is(course, args, words):
    with pytest.raises(CourseError) as error:
        explain.find(course, *args)
    assert words in str(error.value) and not CONTROL.search(str(error.value))


def test_nobody_has_handed_in(course):
    shutil.rmtree(course.root / "submitted")
    with pytest.raises(CourseError, match="The students are: none"):
        explain.find(course, "ada", "double-has-its-gradient")


def test_a_name_of_two_checks_needs_the_exercise(course):
    checks = course.root / "tests" / "checks" / "test_loss.py"
    more = (
        '@pytest.mark.grade("loss-values", points=1)\n'
        "def test_double_has_its_gradient(student):\n    pass\n"
    )
    checks.write_text(checks.read_text() + "\n\n" + more)
    with pytest.raises(CourseError) as error:
        explain.find(course, "ada", "double-has-its-gradient")
    assert SCALE in str(error.value) and LOSS in str(error.value)
    assert "--exercise" in str(error.value)
    for given in (LOSS, "loss"):
        found = explain.find(course, "ada", "double-has-its-gradient", exercise=given)
        assert found.exercise.name == LOSS


# --- a class that was graded ---------------------------------------------------------------------

MEAN = "loss-is-the-mean-squared-error"
ROW = "loss-of-one-row-is-a-number"
# its third call is another one: the visible assert and the first check make two
TIRED = "calls.append(1) or jnp.mean((x @ w - y) ** 2) if len(calls) < 2 else None"
ANSWERS = {
    "ada": "return jnp.mean((x @ w - y) ** 2)",
    "boris": "return jnp.sum((x @ w - y) ** 2)",
    "chi[bold]ara": f"raise ValueError({HOSTILE!r})",
    "devi": f"return {TIRED}",
    "emil": None,
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The tiny class graded once."""
    course = tiny.build(tmp_path_factory.mktemp("explained"))
    release(course, course.lessons[0])
    for student, answer in ANSWERS.items():
        folder = course.root / "submitted" / student / LESSON
        for exercise in course.exercises if answer else ():
            path = course.root / "release" / LESSON / exercise.notebook.name
            solved = sample_class.with_reference(read_notebook(path), exercise)
            for cell in solved.cells:
                if exercise.name == LOSS and cell.source.startswith("def loss"):
                    cell.source = f"calls = []\ndef loss(w, x, y):\n    {answer}"
            kept.write_whole(folder / exercise.notebook.name, json.dumps(solved))
        if not answer:
            kept.write_whole(folder / "letter.txt", "I was ill.")
    done = run(course, "grade", "--workers", "1")
    assert done.returncode == 0, done.stderr
    return course


def run(course, *args):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [sys.executable, "-m", "jaxercise", *args],
        cwd=course.root,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )


def on_disk(root: Path) -> dict[str, tuple]:
    """Every file with its time and content, but Python's own."""
    return {
        str(path.relative_to(root)): (
            path.lstat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in root.rglob("*")
        if "__pycache__" not in path.parts and not any(path.glob("__pycache__"))
    }


def explained_to(course, student, check):
    question = explain.find(course, student, check)
    return explain.explain(course, question, settings.confinement(course.root))


@pytest.mark.slow
def test_a_failing_check_shows_what_it_asked_saw_and_expected(graded):
    before = on_disk(graded.root)
    done = run(graded, "explain", "boris", MEAN)
    assert done.returncode == 0, done.stderr
    assert on_disk(graded.root) == before
    for words in (
        f"boris · {LOSS} · {MEAN}",
        "tests/checks/test_loss.py:1",
        "The kept verdict\n  ✗ failed: 0 of 3 points\n  | loss(w, x, y) is another number.",
        "Run again now, this check alone\n  ✗ failed: 0 of 3 points\n",
        "It agrees with the kept verdict.",
        "1. call loss (",
        "asked argument 1  float32 (2,), -1 to 0.5: 0.5, -1",
        "seen  result  float32 (): 36.5",
        "assert close(np.asarray(found), np.mean(ERROR**2))",
        "np.mean(ERROR**2)  float32 (): 12.1667",
        "ERROR              float32 (3,)",
    ):
        assert words in done.stdout, done.stdout
    pages = graded.root / "feedback"
    assert not any("ERROR**2" in path.read_text() for path in pages.rglob("*.html"))


@pytest.mark.slow
def test_a_passing_check_shows_what_it_asked_and_saw(graded):
    done = run(graded, "explain", "ada", MEAN, "--json")
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    found = json.loads(line)
    assert found["agrees"] and found["seen"]["passed"] and found["kept"]["passed"]
    assert found["kept_is_of_this"] and found["alone"] and not found["frames"]
    (exchange,) = found["exchanges"]
    assert exchange["name"] == "loss" and exchange["seen"] and not exchange["refused"]


@pytest.mark.slow
def test_what_a_hostile_answer_says_is_spelt_out(graded):
    found = explained_to(graded, "chi[bold]ara", MEAN)
    text = explained.as_text(found)
    assert text.startswith("chi[bold]ara · ") and r"\x07\x7f\x1b[2J[red]all[/red]\u202e" in text
    assert not CONTROL.search(text)
    assert not any(line.lstrip().startswith("✓") for line in text.splitlines())
    line = explained.as_json(found)
    assert line.isascii() and line.isprintable() and json.loads(line)["seen"]["message"]
    assert found.agrees and found.exchanges[0].refused.startswith("raised: `loss` raised")


@pytest.mark.slow
def test_an_answer_that_depends_on_what_was_asked_before_is_seen_through(graded):
    before = on_disk(graded.root)
    found = explained_to(graded, "devi", ROW)
    assert found.agrees and not found.alone and found.alone_passed and not found.seen.passed
    text = explained.as_text(found)
    assert "after the checks before it" in text and "Alone it passes" in text
    assert [exchange.name for exchange in found.exchanges] == ["loss"]
    assert on_disk(graded.root) == before


@pytest.mark.slow
def test_no_notebook_is_said_and_nothing_is_run(graded):
    found = explained_to(graded, "emil", MEAN)
    assert not found.ran and found.agrees and found.requests == 0
    text = explained.as_text(found)
    assert "There is no notebook to run" in text and "There is no notebook for this" in text


@pytest.mark.slow
def test_a_kept_verdict_of_something_else_or_none_is_told(graded, tmp_path):
    shutil.copytree(graded.root, tmp_path / "course")
    course = load_course(tmp_path / "course")
    place = kept.Place(course.root, LESSON, "boris", LOSS)
    stored = json.loads(place.verdict.read_text())
    stored["key"] = "another"
    stored["verdict"]["checks"][0] |= {"passed": True, "message": ""}
    place.verdict.write_text(json.dumps(stored))
    found = explained_to(course, "boris", MEAN)
    assert found.agrees is False and not found.kept_is_of_this
    assert not found.alone and not found.alone_passed  # tried both ways
    text = explained.as_text(found)
    assert explained.OF_OTHERS in text and explained.DIFFERS in text
    assert explained.BY_CHANCE not in text
    place.verdict.write_text("half")
    found = explained_to(course, "boris", MEAN)
    assert found.agrees is None and explained.NOT_KEPT in explained.as_text(found)


@pytest.mark.slow
def test_bad_names_on_the_command_line_exit_with_2(graded):
    done = run(graded, "explain", "ada", "no-such-check")
    assert done.returncode == 2 and MEAN in done.stderr and done.stdout == ""
