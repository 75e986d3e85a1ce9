"""What proves the checks is right itself: mutants, headers of answers, the journal, figures."""

import ast
import os
import select
import subprocess
import sys
from dataclasses import replace

import pytest
from tiny import build as build_tiny

from jaxercise.proof import mutation, report, rounds, scheme
from jaxercise.proof.rounds import Grading
from jaxercise.proof.stored import BadHeader, StoredAnswer, differences, read_answer
from jaxercise.settings import Confinement
from jaxercise.verdict import CheckResult, Verdict

# --- mutants -------------------------------------------------------------------------------------

SOURCE = '''
def mean_of_squares(values, axis=0):
    """Nothing here is changed."""
    total = 0.0
    for value in values:
        if value is not None:
            total = total + value**2
    return total / len(values)
'''


@pytest.mark.parametrize(
    "changed",
    [
        "total = total - value ** 2",  # an operator
        "total = total + value * 2",
        "def mean_of_squares(values, axis=1):",  # a constant
        "if value is None:",  # a comparison
        "if not value is not None:",
        "if True:",
        "return total * len(values)",
        "return total",  # what is around it left out
        "return len(values) / total",  # sides swapped
        "break",  # a loop that ends after one round
        "return total / len()",  # an argument left out
    ],
)
def test_a_mutant_for_each_small_change(changed):
    lines = [
        {line.strip() for line in mutant.source.splitlines()} for mutant in mutation.mutants(SOURCE)
    ]
    assert any(changed in of_one for of_one in lines)


def test_mutants_are_programs_all_different_and_have_names_of_their_own():
    made = mutation.mutants(SOURCE)
    original = ast.unparse(ast.parse(SOURCE))
    for mutant in made:
        ast.parse(mutant.source)
        assert mutant.source != original and "Nothing here" not in mutant.source
    assert len({mutant.source for mutant in made}) == len({m.change for m in made}) == len(made)
    assert mutation.mutants(SOURCE) == made  # the same at each run, for reasons are kept by name


def test_statements_are_dropped_and_change_places():
    names = [mutant.change for mutant in mutation.mutants("def f(a, b):\n    g(a)\n    g(b)\n")]
    assert "f: g(a) => nothing" in names
    assert any(name.endswith("moved") for name in names)


def test_a_long_line_is_named_by_the_part_that_differs():
    source = f"def f(x):\n    return [{', '.join(f'x + {i}' for i in range(40))}]\n"
    names = [mutant.change for mutant in mutation.mutants(source)]
    assert any(" + 21, x + 22, x + 23, x + 24," in name and "x + 1," not in name for name in names)
    assert sum(len(name) < 150 for name in names) >= 200


def test_every_model_solution_has_mutants(the_course):
    for exercise in the_course.exercises:
        assert len(mutation.mutants(exercise.reference.read_text())) >= 40


# --- stored answers ------------------------------------------------------------------------------

HEADER = """# the root is missing
# loses: values, sizes
# fair: 40-60 %
# mistake: squared
def f(): ...
"""


@pytest.fixture
def answer(tmp_path):
    (tmp_path / "wrong").mkdir()
    path = tmp_path / "wrong" / "squared.py"

    def written(text: str = HEADER) -> StoredAnswer:
        path.write_text(text)
        return read_answer(path)

    return written


def test_a_header_says_what_an_answer_is_and_loses(answer):
    read = answer()
    assert read.what == "the root is missing" and not read.right
    assert read.loses == {"values", "sizes"} and read.fair == (0.4, 0.6)
    assert read.mistakes == {"squared"}
    assert answer(HEADER.replace("values, sizes", "everything")).loses is None
    assert answer(HEADER.replace("squared\n", "none named\n")).mistakes == frozenset()


@pytest.mark.parametrize(
    "line", ["# loses: values, sizes\n", "# fair: 40-60 %\n", "# mistake: squared\n"]
)
def test_a_header_without_one_of_its_lines_is_refused(answer, line):
    with pytest.raises(BadHeader, match=r"squared\.py"):
        answer(HEADER.replace(line, ""))
    with pytest.raises(BadHeader, match=r"squared\.py"):
        answer(HEADER.replace(line, line.partition(":")[0] + ":\n"))


def verdict_of(values="squared", sizes="", noise=None) -> Verdict:
    """Three checks of one point each; what is None passed."""
    said = {"values": values, "sizes": sizes, "noise": noise}
    return Verdict(
        "an-exercise",
        tuple(
            CheckResult(name, name, "cell", 1, mistake is None, "words", mistake or "")
            for name, mistake in said.items()
        ),
    )


@pytest.mark.parametrize(
    "verdict, words",
    [
        (verdict_of(noise=""), "lost noise"),
        (verdict_of(sizes=None), "passed sizes"),
        (verdict_of(sizes=None), "got 67% of the points; fair would be 40% to 60%"),
        (verdict_of(values=""), "was told none named, and its header says squared"),
        (verdict_of(sizes="halved"), "was told halved, squared"),
    ],
)
def test_each_way_to_differ_from_a_header_is_told(answer, verdict, words):
    assert any(line.startswith(words) for line in differences(answer(), verdict))


def test_a_verdict_as_the_header_says_differs_in_nothing(answer):
    fair = HEADER.replace("40-60", "30-40")
    assert differences(answer(fair), verdict_of()) == []
    assert "names sides, which is no check" in differences(
        answer(fair.replace("sizes", "sides")), verdict_of(sizes=None)
    )


# --- the journal ---------------------------------------------------------------------------------

DOUBLE = "def double(x): return 2 * x\n"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return build_tiny(tmp_path_factory.mktemp("tiny"))


@pytest.mark.slow
def test_what_is_in_the_journal_is_not_graded_again(tiny, monkeypatch):
    def graded(round=0):
        answers = [("one", DOUBLE), ("same", DOUBLE), ("other", DOUBLE + "# other\n")]
        return list(rounds.grade(tiny, "1-scale", answers, Confinement(), round))

    first = graded()
    journal = tiny.root / rounds.JOURNAL
    assert [grading.answer for grading in first] == ["one", "same", "other"]
    assert len(list(rounds.read(tiny.root))) == 2  # the same text is graded once
    with journal.open("a") as file:
        file.write('{"exercise": "1-sc')  # a run that was killed while it wrote
    with monkeypatch.context() as context:
        context.setattr("jaxercise.classroom.check_files", None)
        assert graded() == first
        rounds.keep(tiny.root, first[1:])
        journal.unlink()
        assert graded() == first  # the evidence is enough
    assert [grading.round for grading in graded(round=1)] == [1, 1, 1]


LOADED = """
import multiprocessing, sys
from jaxercise.proof import rounds
if __name__ == "__main__":
    with rounds.load(True):
        print(*[process.pid for process in multiprocessing.active_children()], flush=True)
        sys.stdin.read()
"""


def test_a_run_that_is_killed_leaves_the_machine_idle(tmp_path):
    script = tmp_path / "loaded.py"
    script.write_text(LOADED)
    with subprocess.Popen(
        [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        burning = [os.pidfd_open(int(pid)) for pid in process.stdout.readline().split()]
        assert burning and not select.select(burning, [], [], 0)[0]
        process.kill()
        for handle in burning:
            assert select.select([handle], [], [], 120)[0]  # readable once the process has ended
            os.close(handle)


def test_another_answer_or_check_is_another_state(the_course, course_copy):
    name = "3-generic-forward"
    state = rounds.state_by(course_copy, name)(DOUBLE)
    assert rounds.state_by(the_course, name)(DOUBLE) == state
    assert rounds.state_by(course_copy, name)(DOUBLE + "\n") != state
    other = course_copy.exercise("1-dropout-keys").checks
    other.write_text(other.read_text() + "# another exercise's\n")
    assert rounds.state_by(course_copy, name)(DOUBLE) == state
    helper = other.parent / "mlp_numpy.py"
    helper.write_text(helper.read_text() + "# that it imports\n")
    assert rounds.state_by(course_copy, name)(DOUBLE) != state


# --- figures -------------------------------------------------------------------------------------


def grading(answer: str, verdict: Verdict, round=0, busy=False, jax="0.10.1") -> Grading:
    return Grading("an-exercise", answer, round, busy, jax, "state", verdict)


ALL_PASSED = verdict_of(None, None, None)


def test_figures_count_what_went_wrong(answer, tmp_path):
    wrong = answer(HEADER.replace("40-60", "30-40"))
    right = StoredAnswer(tmp_path / "right" / "plain.py", "plain")
    found = report.figures(
        [right, wrong],
        [
            grading("right/plain.py", ALL_PASSED),
            grading("right/plain.py", ALL_PASSED, 1, busy=True, jax="0.12.0"),
            grading("right/plain.py", verdict_of(None, None, ""), 2),
            grading("wrong/squared.py", verdict_of()),
            grading("wrong/squared.py", verdict_of(), jax="0.12.0"),
            grading("wrong/squared.py", verdict_of(sizes=None), 1),
            grading("wrong/squared.py", verdict_of(sizes="halved"), 2),
        ],
    )
    assert (found.right, found.wrong, found.named) == (1, 1, 1)
    assert found.gradings == {"0.10.1": 5, "0.12.0": 2} and found.busy == 1
    assert found.rounds == {"0.10.1": 2, "0.12.0": 1}
    assert found.rejected == ["right/plain.py, round 2 on 0.10.1"]
    assert found.accepted == ["wrong/squared.py, round 1 on 0.10.1"]
    assert found.otherwise == ["wrong/squared.py, round 2 on 0.10.1"]
    assert found.flips == ["right/plain.py", "wrong/squared.py"]


def test_the_page_shows_the_figures(answer, tmp_path):
    right = StoredAnswer(tmp_path / "right" / "plain.py", "plain")
    figures = report.figures([right], [grading("right/plain.py", verdict_of(None, None, ""))])
    mutants = report.Mutants(10, 10, ["f: a => b", "f: c => d"], {"f: a => b": "the same"})
    assert mutants.open == ["f: c => d"] and mutants.killed_share == pytest.approx(8 / 9)
    page = report.page({"date": "today"}, {"an-exercise": figures}, {"an-exercise": mutants})
    assert "| an-exercise | 10 | 10 | 8 | 1 (10%) | 1 | 88.9% |" in page
    assert "* survives, an-exercise: `f: c => d`" in page
    assert "* lost a mark, an-exercise: right/plain.py, round 0 on 0.10.1" in page


# --- the mark scheme -----------------------------------------------------------------------------


def test_the_mark_scheme_in_the_documents_is_that_of_the_checks(the_course):
    now, due = scheme.document(the_course)
    assert now == due, "run: jaxercise proof scheme"


def test_mistakes_that_lose_a_check_the_narrow_ones_first(answer):
    narrow = answer()
    wide = replace(narrow, loses=frozenset("abc") | narrow.loses, mistakes=frozenset({"wide"}))
    raises = replace(narrow, mistakes=frozenset({"raises", "not-defined"}))
    everything = replace(narrow, loses=None, mistakes=frozenset({"nothing-right"}))
    names = scheme.losing("sizes", [everything, wide, narrow, raises])
    assert names == ["squared", "wide", "nothing-right"]
    assert scheme.losing("elsewhere", [wide, narrow]) == []
