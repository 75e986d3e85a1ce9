"""`jaxercise report`: what it counts, what it calls alike, and the page it writes."""

import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pytest
import tiny
from nbformat.v4 import new_output
from tiny import LESSON, LOSS, SCALE
from typer.testing import CliRunner

from jaxercise import classreport, gradebook, kept, sample_class
from jaxercise.classreport import gathering, similarity
from jaxercise.classreport.data import ClassReport
from jaxercise.classreport.figures import class_report, marks
from jaxercise.classreport.gathering import HANGS, Entry
from jaxercise.classreport.page import COLOURS, page
from jaxercise.classroom import CRASHED
from jaxercise.cli import app
from jaxercise.course import load_course, read_notebook
from jaxercise.grading import Graded
from jaxercise.release import release
from jaxercise.settings import CourseError
from jaxercise.submissions import NOT_SUBMITTED
from jaxercise.verdict import CheckResult, Verdict

HOSTILE = "</td><script src=//evil.example/x.js>alert(1)</script>'\"&\x00\u202e\udcff"
CHECKS = {
    SCALE: (("doubled", 1), ("gradient", 1), ("untouched", 2), ("key", 1), ("spread", 2)),
    LOSS: (("mean", 3), ("one-row", 2)),
}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return tiny.build(tmp_path_factory.mktemp("course"))


def verdict(exercise: str, lost: dict[str, str] | None = None) -> Verdict:
    """What the checks may have said: ``lost`` has the mistake's name for each that was lost."""
    lost = lost or {}
    results = [
        CheckResult(
            name,
            f"What `{name}` shows",
            "cell",
            points,
            name not in lost,
            f"Words about {lost[name] or name}." if name in lost else "",
            lost.get(name, ""),
        )
        for name, points in CHECKS[exercise]
    ]
    return Verdict(exercise, tuple(results))


def entry(student: str, exercise: str = SCALE, lost: dict | None = None, **more) -> Entry:
    found = verdict(exercise, lost)
    return Entry(
        student, exercise, **{"verdict": found, "mark": found.score, "state": "answered"} | more
    )


def report(course, *entries: Entry) -> ClassReport:
    return class_report(course.lessons[0], entries)


# What is counted


def test_mistakes_are_counted_over_exercises_by_students_and_points(course):
    found = report(
        course,
        entry("ada"),
        entry("boris", lost={"doubled": "wrong-sign", "gradient": "wrong-sign"}),
        entry("chiara", lost={"doubled": "wrong-sign", "key": "", "spread": "not-answered"}),
        entry("devi", LOSS, {"mean": "a-sum", "one-row": "wrong-sign"}),
    )
    sign, total = found.mistakes
    assert (sign.name, sign.students, sign.points) == ("wrong-sign", 3, 1 + 1 + 1 + 2)
    assert (total.name, total.students, total.points) == ("a-sum", 1, 3)
    assert sign.message == "Words about wrong-sign."
    assert [(p.exercise, p.check, p.students) for p in sign.places] == [
        (SCALE, "doubled", 2),
        (SCALE, "gradient", 1),
        (LOSS, "one-row", 1),
    ]
    scale, loss = found.exercises
    assert (scale.lost, scale.unnamed, loss.lost, loss.unnamed) == (4, 1, 2, 0)


def test_hardest_are_the_checks_that_most_who_answered_lost(course):
    found = report(
        course,
        entry("ada", lost={"key": ""}),
        entry("boris", lost={"key": "", "spread": "not-answered"}),
        entry("chiara", lost={"doubled": ""}),
        entry("devi", lost={"spread": "wide"}),
        entry("emeka", lost=dict.fromkeys(dict(CHECKS[SCALE]), "not-answered"), state="untouched"),
    )
    hardest = [(c.id, c.lost, c.passed, c.unwritten, c.share_lost) for c in found.hardest]
    assert hardest == [
        ("key", 2, 2, 0, 0.5),
        ("spread", 1, 2, 1, 0.3333),
        ("doubled", 1, 3, 0, 0.25),
    ]
    assert found.mistakes[0].name == "wide" and len(found.mistakes) == 1


def test_marks_by_hand_count_and_work_without_a_verdict_is_said(course):
    found = report(
        course,
        entry("ada", mark=5.0),  # of 7 by the checks
        entry("ada", LOSS),
        entry("boris", lost={"key": ""}),
        entry("boris", LOSS, {"mean": "", "one-row": ""}, state="missing"),
        Entry("chiara", SCALE),
        Entry("chiara", LOSS),
        entry("devi", mark=None),
    )
    assert (found.totals.number, found.totals.mean, found.totals.median) == (2, 8, 8)
    assert found.students == 4
    assert found.ungraded == ("chiara",) and found.unrecorded == ("devi",)
    scale, loss = found.exercises
    assert scale.states == {"answered": 3, "ungraded": 1} and scale.by_hand == 1
    assert (scale.marks.number, scale.marks.mean) == (2, 5.5)
    assert loss.states == {"answered": 1, "missing": 1, "ungraded": 1}
    assert (loss.marks.number, loss.lost) == (1, 0)  # who handed in nothing is not counted
    shown = page(found)
    assert "Not graded yet" in shown and "1 mark was changed by hand" in shown


def test_marks_fall_into_parts_of_equal_width():
    found = marks([-1, 0, 1.9, 2, 10, 19.99, 20, 21.5], 20)
    assert found.counts == (3, 1, 0, 0, 0, 1, 0, 0, 0, 3)
    assert marks([], 20).mean is None
    assert marks([0.3 * 10], 10).counts[3] == 1  # though 0.3 is a little less in floating point


def test_trouble_says_what_broke_stopped_was_slow_or_mended(course):
    found = report(
        course,
        entry("ada", seconds=4.0, mended=("the test cell 'x' had been deleted and was put back",)),
        entry("boris", seconds=5.0),
        entry("chiara", seconds=95.0, stopped=("`double` took too long (more than 20 s)",)),
        entry("devi", state="broken", stopped=(CRASHED,)),
        entry(
            "emeka", seconds=6.0, mended=("the test cell 'x' had been deleted and was put back",)
        ),
    )
    assert [(t.kind, t.students) for t in found.trouble] == [
        ("broken", ("devi",)),
        ("stopped", ("chiara",)),
        ("slow", ("chiara",)),
        ("mended", ("ada", "emeka")),
    ]
    assert "95 s" in found.trouble[2].why and "5.5 s" in found.trouble[2].why


# What is read


def keep(course, student: str, exercise: str, repairs: tuple = (), **more) -> None:
    """Leave behind what grading the model solution, or what is passed, would have left."""
    (lesson,) = course.lessons
    notebook = read_notebook(course.exercise(exercise).notebook)
    for cell in notebook.cells:
        cell.source = more.get("sources", {}).get(cell.id, cell.source)
        if cell.cell_type == "code":
            cell.outputs = more.get("outputs", {}).get(cell.id, [])
    there, trouble = more.get("there", True), more.get("trouble", ())
    notebook.metadata["jaxercise"] = {"trouble": list(trouble), "there": there}
    place = kept.Place(course.root, lesson.name, student, exercise)
    found = verdict(exercise, more.get("lost", {}))
    kept.save(place, "key", Graded(found, notebook, repairs))
    kept.write_whole(place.log, more.get("log", "2030-01-02 03:04:05: 7 of 7 points in 12.3 s\n"))


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A course whose gradebook holds what the test puts into the dict that comes with it."""
    course, scores = tiny.build(tmp_path), {}
    (tmp_path / "gradebook.db").touch()
    monkeypatch.setattr(gradebook, "scores", lambda course, lesson: scores)
    return course, scores


def test_what_grading_left_behind_is_read(written):
    course, scores = written
    scores |= {name: {SCALE: 3.0, LOSS: 1.0} for name in ("ada", "boris", "chiara")}
    stub = {"loss-answer": "def loss(w, x, y):\n    raise NotImplementedError('mine')\n"}
    stopped = "This cell took longer than 3 s and was stopped."
    slow = new_output("error", ename="TimeoutError", evalue=stopped, traceback=[])
    all_lost = dict.fromkeys(dict(CHECKS[LOSS]), "not-answered")
    keep(course, "ada", SCALE, trouble=("mended",), outputs={"imports": [slow]})
    keep(course, "ada", LOSS, sources=stub, lost=all_lost)
    keep(course, "boris", SCALE, (NOT_SUBMITTED,), there=False, trouble=(NOT_SUBMITTED,))
    keep(course, "boris", LOSS, ("It is empty.",), there=False, trouble=("It is empty.",))
    keep(course, "chiara", SCALE, (CRASHED,), trouble=(CRASHED,), log="Traceback ...")
    keep(course, "chiara", LOSS, lost={"mean": HANGS})
    kept.Place(course.root, LESSON, "chiara", LOSS).log.unlink()
    found = {(e.student, e.exercise): e for e in gathering.gather(course, course.lessons[0])}
    states = [found[student, name].state for student in scores for name in (SCALE, LOSS)]
    assert states == ["answered", "untouched", "missing", "broken", "broken", "answered"]
    ada = found["ada", SCALE]
    assert ada.mark == 3 and ada.seconds == 12.3 and ada.mended == ("mended",)
    assert ada.stopped == ("cell 2 took longer than 3 s and was stopped",)
    assert set(ada.answers) == {"double-answer", "noise-answer", "total-answer"}
    assert found["ada", LOSS].answers == {}
    assert found["boris", SCALE].stopped == () and found["boris", LOSS].stopped == ("It is empty.",)
    assert found["chiara", SCALE].seconds is None and found["chiara", LOSS].seconds is None
    assert found["chiara", LOSS].stopped == (f"Words about {HANGS}.",)


def test_a_damaged_verdict_is_none(written):
    course, scores = written
    scores["ada"] = {SCALE: 3.0}
    keep(course, "ada", SCALE)
    kept.Place(course.root, LESSON, "ada", SCALE).verdict.write_text('{"verdict": ')
    found = gathering.gather(course, course.lessons[0])
    assert [(e.state, e.verdict, e.mark) for e in found] == [
        ("ungraded", None, 3.0),
        ("ungraded", None, None),
    ]


def test_what_was_handed_in_since_is_named(written):
    course, scores = written
    (lesson,) = course.lessons
    released = release(course, lesson)
    for student in ("ada", "boris"):
        for exercise in lesson.exercises:
            notebook = read_notebook(released / exercise.notebook.name)
            solved = sample_class.with_reference(notebook, exercise)
            path = course.root / "submitted" / student / LESSON / exercise.notebook.name
            kept.write_whole(path, json.dumps(solved))
            keep(course, student, exercise.name, sources=_sources(course, exercise, solved))
    path = course.root / "submitted" / "boris" / LESSON / f"{LOSS}.ipynb"
    assert not any(e.changed for e in gathering.gather(course, lesson))
    path.write_text(path.read_text().replace("jnp.mean(", "jnp.sum("))
    found = gathering.gather(course, lesson)
    assert [(e.student, e.exercise) for e in found if e.changed] == [("boris", LOSS)]
    assert class_report(lesson, found).changed == ("boris",)
    scores |= {"boris": {SCALE: 7.0, LOSS: 5.0}}
    shutil.rmtree(course.root / "submitted" / "boris")  # put away, and not handed in again
    assert not any(e.changed for e in gathering.gather(course, lesson))


def _sources(course, exercise, solved) -> dict[str, str]:
    from jaxercise.restore import restore

    restored = restore(solved, read_notebook(exercise.notebook)).notebook
    return {cell.id: cell.source for cell in restored.cells}


# What is alike

GIVEN = "import jax\nimport jax.numpy as jnp"
CLIPPED = '''
def clip(grads, limit):
    """Clip by the global norm."""
    squares = [jnp.sum(g ** 2) for g in jax.tree.leaves(grads)]
    norm = jnp.sqrt(sum(squares))  # of all leaves
    factor = jnp.minimum(1.0, limit / (norm + 1e-6))
    return jax.tree.map(lambda g: g * factor, grads)
'''
DISGUISED = """
from jax import numpy as np, tree
def clip(tree_of_gradients, most):
    # my own idea
    sq: list = [ np.sum(leaf**2)
                 for leaf in tree.leaves(tree_of_gradients) ]
    length = np.sqrt( sum(sq) )
    print("norm", length)
    scale = np.minimum(1.0, (most / (length + 1e-6)))
    return tree.map((lambda leaf: leaf * scale), tree_of_gradients)
"""
OTHERWISE = """
def clip(grads, limit):
    leaves, treedef = jax.tree.flatten(grads)
    norm = jnp.linalg.norm(jnp.stack([jnp.linalg.norm(leaf) for leaf in leaves]))
    if_small = norm < limit
    clipped = [jnp.where(if_small, leaf, leaf * limit / norm) for leaf in leaves]
    return jax.tree.unflatten(treedef, clipped)
"""


def different(number: int) -> str:
    """Answers of which no two are alike."""
    return OTHERWISE + f"\n\nextra = clip({{'w': jnp.ones({number})}}, {number}.5)\n"


def found_groups(answers: dict[str, str], model: str = "") -> list[tuple[str, ...]]:
    return [group.students for group in similarity.groups("clip", answers, model, GIVEN)]


def test_renamed_and_reformatted_answers_are_found():
    answers = {f"student{n}": different(n) for n in range(8)}
    answers |= {"ada": CLIPPED, "boris": DISGUISED}
    (group,) = similarity.groups("clip", answers, "", GIVEN)
    assert group.students == ("ada", "boris")
    assert (group.same_text, group.of, group.chance, group.like_model) == (False, 10, 0.0, False)
    (group,) = similarity.groups("clip", answers | {"boris": CLIPPED + "\n"}, DISGUISED, GIVEN)
    assert group.same_text and group.like_model


def test_answers_that_do_something_else_are_not():
    answers = {f"student{n}": different(n) for n in range(8)}
    assert found_groups(answers) == []
    for was, becomes in (
        ("1e-6", "1e-8"),
        ("limit /", "limit *"),
        ("jnp.minimum", "jnp.maximum"),
        ("g * factor", "factor * g"),
        ("sum(squares)", "max(squares)"),
        ("* factor, grads", "* norm, grads"),
    ):
        changed = CLIPPED.replace(was, becomes)
        assert changed != CLIPPED
        assert found_groups(answers | {"ada": CLIPPED, "boris": changed}) == []


@pytest.mark.parametrize(
    "one, other",
    [
        (
            "def f(x, axis):\n return jnp.sum(x, axis=axis)",
            "def g(a, b):\n return jnp.sum(a, axis=b)",
        ),
        ("def f(x):\n return x\ny = f(x=1)", "def f(z):\n return z\ny = f(z=1)"),
        ("%time f(1)\ny = 2", "%time f(2)\nz = 2"),
        (
            "import jax.numpy as n\ny = n.sum(x, keepdims=True, axis=0)",
            "y = jnp.sum(x, axis=0, keepdims=True)",
        ),
        (
            "def f():\n n = 0\n def g():\n  nonlocal n\n  n = 1\n",
            "def f():\n m = 0\n def g():\n  nonlocal m\n  m = 1\n",
        ),
        ("def f(x: int) -> int:\n 'doc'\n y: int\n return x", "def f(x):\n return x"),
    ],
)
def test_shapes_are_equal_though_words_are_not(one, other):
    known = {"jnp": "jax.numpy", "jax": "jax"}
    first, second = similarity.shape(one, known), similarity.shape(other, known)
    assert first is not None and first == second


@pytest.mark.parametrize(
    "source",
    ["def f(:", "x = '\0'", "(" * 500, "-" * 40_000 + "1", "x" * 60_000, "1+" * 20_000 + "1"],
)
def test_what_cannot_be_read_has_no_shape(source):
    assert similarity.shape(source) is None


def test_common_and_short_answers_are_not_reported():
    few = {f"student{n}": different(n) for n in range(20)}
    assert found_groups(few | {"a": CLIPPED, "b": CLIPPED, "c": DISGUISED}) == [("a", "b", "c")]
    assert found_groups(few | {f"same{n}": CLIPPED for n in range(4)}) == []
    assert found_groups(few | {"a": "y = x + 1", "b": "y = x + 1"}) == []
    assert found_groups({"a": CLIPPED, "b": CLIPPED, "c": OTHERWISE}) == []  # what is rare of 3?
    # a cell in which other pairs are alike as well has few ways of being written
    pairs = {f"{who}{n}": different(n) for n in range(3) for who in ("one", "two")}
    assert found_groups(pairs | {"a": CLIPPED, "b": CLIPPED}) == []


def test_pairs_are_put_together_over_cells_with_what_they_lost(course):
    lost = {"key": "one-key-twice"}
    others = [
        entry(f"student{n}", answers={"noise-answer": different(n), "total-answer": "total = 1"})
        for n in range(8)
    ]
    found = report(
        course,
        *others,
        entry("ada", lost=lost, answers={"noise-answer": CLIPPED, "double-answer": CLIPPED}),
        entry("boris", lost=lost, answers={"noise-answer": DISGUISED, "double-answer": CLIPPED}),
    )
    (alike,) = found.alike
    assert alike.students == ("ada", "boris") and alike.same_losses == ("What `key` shows",)
    assert [(c.exercise, c.group.cell, c.group.of) for c in alike.cells] == [
        (SCALE, "noise-answer", 10)
    ]
    shown = page(found)
    assert "never a mark" in shown and "2 of 10 answers" in shown


# The page


def tree(html: str) -> ET.Element:
    assert html.startswith("<!DOCTYPE html>\n")
    return ET.fromstring(html)


def a_class(course, students: int, name: str = "student") -> ClassReport:
    entries = []
    for n in range(students):
        lost = {key: f"mistake-{n % 30}" for key, _ in CHECKS[SCALE][: n % 4]}
        more = {"seconds": 100.0 if n % 50 == 9 else 2.0, "stopped": ("why",) if n % 9 == 8 else ()}
        entries.append(entry(f"{name} {n}", SCALE, lost, **more))
        entries.append(entry(f"{name} {n}", LOSS, state="missing", mark=0.0))
    return report(course, *entries)


@pytest.mark.parametrize("students", [0, 1, 300])
def test_the_page_is_whole_and_needs_nothing_else(course, students):
    html = page(a_class(course, students))
    assert len(html) < 150_000
    root = tree(html)
    assert root.get("lang") == "en"
    for element in root.iter():
        assert element.tag not in {"script", "link", "img", "iframe", "object", "base"}
        assert not {"src", "href", "srcset", "onload", "onclick"} & set(element.attrib)
    assert not re.search(r"url\(|@import|https?:", html)
    levels = [int(e.tag[1]) for e in root.iter() if re.fullmatch(r"h[1-6]", e.tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    numbered = [e.text for e in root.iter("h2")]
    assert [text[:2] for text in numbered] == ["1.", "2.", "3.", "4.", "5."]
    for picture in root.iter("svg"):
        assert picture.get("role") == "img" and picture[0].tag == "title" and picture[0].text
    for table in root.iter("table"):
        heads = table.findall("thead/tr/th")
        assert heads and all(head.get("scope") == "col" and head.text for head in heads)
        assert {len(row) for row in table.findall("tbody/tr")} == {len(heads)}


def test_an_empty_class_is_said_plainly(course):
    assert "There is nothing to report on" in page(a_class(course, 0))


def test_hostile_names_and_messages_are_words(course):
    nasty = report(
        course,
        entry(
            HOSTILE,
            lost={"key": HOSTILE, "doubled": ""},
            mended=(HOSTILE,),
            stopped=("`" + HOSTILE,),
        ),
        entry(HOSTILE, LOSS, state="broken", stopped=(HOSTILE,), changed=True),
        Entry(HOSTILE + "2", SCALE),
    )
    html = page(nasty)
    html.encode()
    assert "<script" not in html and "\x00" not in html
    root = tree(html)
    assert not [e for e in root.iter() if e.tag == "script"]
    assert "</td><script src=//evil.example/x.js>" in "".join(root.itertext())
    names = [e for e in root.iter("bdi")]
    assert names and all(len(name) == 0 for name in names)


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrasts_are_those_of_wcag_aa(course, theme):
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    colours = COLOURS[theme]
    for ground in ("page", "panel"):
        for text in ("ink", "soft"):
            assert contrast(colours[text], colours[ground]) >= 4.5
        for mark in ("passed", "lost", "unwritten", "warn"):
            assert contrast(colours[mark], colours[ground]) >= 3
    html = page(a_class(course, 1))
    style = html[html.index("<style>") : html.index("</style>")]
    assert all(f"--{name}: {value};" in style for name, value in colours.items())
    themed = re.sub(r"--\w+: #\w{6};", "", html)
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b(?!\d*;)|rgb|fill=|currentColor", themed)


# The command


def run(course, monkeypatch, *options: str):
    monkeypatch.chdir(course.root)
    return CliRunner().invoke(app, ["report", *options])


def test_nothing_graded_is_said_and_no_gradebook_is_made(tmp_path, monkeypatch):
    done = run(tiny.build(tmp_path), monkeypatch)
    assert done.exit_code == 1 and "no work was graded here yet" in done.output
    assert not (tmp_path / "gradebook.db").exists()
    done = run(load_course(tmp_path), monkeypatch, "no-such")
    assert done.exit_code == 1 and f"The lessons are: {LESSON}." in done.output


def test_where_the_page_goes(written, monkeypatch, tmp_path_factory):
    course, scores = written
    scores["ada"] = {SCALE: 7.0, LOSS: 5.0}
    keep(course, "ada", SCALE)
    folder = tmp_path_factory.mktemp("pages")
    for option, path in (
        ((), course.root / ".jaxercise" / f"report-{LESSON}.html"),
        (("--to", str(folder)), folder / f"report-{LESSON}.html"),
        (("--to", str(folder / "new" / "r.html")), folder / "new" / "r.html"),
    ):
        done = run(course, monkeypatch, *option)
        assert done.exit_code == 0, done.output
        assert str(path) in done.output.replace("\n", "")
        tree(path.read_text())
    done = run(course, monkeypatch, "--json", LESSON)
    (line,) = done.output.splitlines()
    assert json.loads(line)["lesson"] == LESSON and json.loads(line)["ungraded"] == ["ada"]
    (folder / "file").touch()
    done = run(course, monkeypatch, "--to", str(folder / "file" / "r.html"))
    assert done.exit_code == 1 and "cannot be written" in done.output


def test_one_file_is_for_one_lesson(course):
    two = [a_class(course, 1), a_class(course, 1)]
    with pytest.raises(CourseError, match="one lesson"):
        classreport.write(course, two, Path("page.html"))


@pytest.mark.slow
def test_a_class_that_was_graded(tmp_path, monkeypatch):
    course = tiny.build(tmp_path)
    (lesson,) = course.lessons
    released = release(course, lesson)
    for student in ("ada", "boris", "devi"):
        for exercise in lesson.exercises:
            notebook = read_notebook(released / exercise.notebook.name)
            solved = sample_class.with_reference(notebook, exercise)
            if student == "boris" and exercise.name == LOSS:
                for cell in solved.cells:
                    cell.source = cell.source.replace("jnp.mean(", "jnp.sum(")
            path = tmp_path / "submitted" / student / LESSON / exercise.notebook.name
            kept.write_whole(path, json.dumps(notebook if student == "devi" else solved))
    (tmp_path / "submitted" / "devi" / LESSON / f"{SCALE}.ipynb").write_text("{")
    done = subprocess.run(
        [sys.executable, "-m", "jaxercise", "grade"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    with gradebook.open_gradebook(tmp_path) as book:
        book.find_submission_notebook(LOSS, LESSON, "boris").grades[0].manual_score = 4.5
        book.db.commit()
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / ".jaxercise" / "verdicts").rglob("*")}
    done = run(course, monkeypatch)
    assert done.exit_code == 0, done.output
    html = (tmp_path / ".jaxercise" / f"report-{LESSON}.html").read_text()
    assert "another number" in html and "damaged" in html
    tree(html)
    (line,) = run(course, monkeypatch, "--json").output.splitlines()
    data = json.loads(line)
    assert data["students"] == 3 and not data["ungraded"] + data["changed"] + data["unrecorded"]
    scale, loss = data["exercises"]
    assert scale["states"] == {"answered": 2, "broken": 1}
    assert loss["states"] == {"answered": 2, "untouched": 1}
    assert loss["by_hand"] == 1 and loss["marks"]["mean"] == pytest.approx(
        (5 + 4.5 + 0) / 3, abs=1e-3
    )
    assert loss["usual_seconds"] > 0
    assert [(c["id"], c["lost"]) for c in data["hardest"]][:1] == [
        ("loss-is-the-mean-squared-error", 1)
    ]
    after = {p: p.stat().st_mtime_ns for p in (tmp_path / ".jaxercise" / "verdicts").rglob("*")}
    assert before == after
