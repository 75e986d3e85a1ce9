"""The hints: three steps before an answer, folded away, that help and do not give it away.

The hints of ``dropout-answer`` are the cell ``dropout-hints`` right before it. Every function that
students write has hints; of the results, those have some that take more than a line or two.
"""

import ast
import re
import textwrap

import pytest
from bs4 import BeautifulSoup
from nbconvert.filters import markdown2html_mistune

from jaxercise import grading
from jaxercise.course import is_answer, load_course, read_notebook
from jaxercise.definitions import defined_names
from jaxercise.matching import SOLUTION
from jaxercise.outputs import clean_markdown
from jaxercise.settings import Confinement
from jaxercise.workers import default_workers, local

EXERCISES = [
    "1-dropout-keys",
    "2-per-example-grads",
    "3-generic-forward",
    "4-jit-benchmark",
    "5-gradient-clipping",
]
SUMMARIES = ["Hint 1: where to think", "Hint 2: the tools", "Hint 3: nearly there"]
# Only after a blank line does Markdown read Markdown again, and only after another one HTML.
STEP = re.compile(r"^<details>\n<summary>([^<]+)</summary>\n\n(.*?)\n\n</details>$", re.M | re.S)
FENCED = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
COMMENT = re.compile(r"\s*#.*$")
GAP = "..."

# What belongs in the gaps, in their order. Filled so, the hints earn all points of their notebook.
FILLED = {
    "1-dropout-keys": {
        "dropout-hints": ["1 - rate", "p_keep", "x / p_keep", "0.0"],
        "forward-hints": [
            "jax.random.split(key)",
            'jax.nn.relu(x @ params["layer1"]["w"] + params["layer1"]["b"])',
            "h",
            "rate",
            'jax.nn.relu(h @ params["layer2"]["w"] + params["layer2"]["b"])',
            "train",
            "dropout(second_key, h, rate)",
            'h @ params["layer3"]["w"] + params["layer3"]["b"]',
        ],
        "results-hints": [
            "key",
            "0.2",
            "cross_entropy(logits, y)",
            "train(start, loss_with, digits.x_train, digits.y_train, jax.random.key(11), epochs=8)",
            "train=False",
            "digits.y_valid",
            "trained_without",
            "trained_with",
        ],
    },
    "2-per-example-grads": {
        "grads-hints": ["loss_fn", "None", "0", "0", "params, x, y"],
        "norms-hints": [
            "per_example_grads(params, x, y)",
            "(rows**2).sum(axis=1)",
            "jnp.sqrt(squares)",
        ],
        "hardest-hints": ["per_example_grad_norms(params, x32, y32)", "-norms", ":5"],
        "results-hints": ["forward(params, x32)", "jnp.arange(32)", "y32", "norms", "p_true"],
    },
    "3-generic-forward": {
        "forward-hints": [
            "len(params)",
            "n_layers + 1",
            'f"layer{number}"',
            'h @ layer["w"] + layer["b"]',
            "number < n_layers",
            "jax.nn.relu(h)",
        ],
        "deep-hints": [
            "mlp_forward(params, x)",
            "logits",
            "y",
            "deep_loss",
            "digits.x_train",
            "digits.y_train",
            "mlp_forward(trained_deep, digits.x_valid)",
        ],
        "depths-hints": [
            "deep_loss",
            "params",
            "digits.x_valid",
            "cross_entropy(logits, digits.y_valid)",
            "held_out_loss(depth)",
        ],
    },
    "4-jit-benchmark": {
        "benchmark-hints": [
            "jax.block_until_ready(step(*args))",
            "time.perf_counter() - begin",
            "1",
            "n_steps",
            "first",
            "later / n_steps",
        ],
        "compare-hints": [
            "step_fn",
            "n_steps",
            "step_fn, *args, n_steps=n_steps",
            '"mean_step_s"',
            'without_jit["mean_step_s"]',
            'without_jit["mean_step_s"]',
            'with_jit["mean_step_s"]',
            'with_jit["first_call_s"]',
            'with_jit["mean_step_s"]',
        ],
    },
    "5-gradient-clipping": {
        "optimizer-hints": [
            "optax.adam(learning_rate)",
            "max_norm is None",
            "plain",
            "optax.clip_by_global_norm(max_norm)",
            "plain",
        ],
        "train-hints": [
            "jax.grad(loss_fn)(params, x, y)",
            "optax.tree.norm(grads)",
            "grads",
            "state",
            "params",
            "optax.apply_updates(params, updates)",
            "optimizer.init(params)",
            "params, state, images, labels",
            "norms.append(norm)",
            "norms",
        ],
    },
}


def is_hints(cell) -> bool:
    return cell.cell_type == "markdown" and "hints" in cell.metadata.get("tags", [])


def hints_and_answers(notebook):
    """Each cell of hints, with the answer cell right after it."""
    return [
        (hints, answer)
        for hints, answer in zip(notebook.cells, notebook.cells[1:])
        if is_hints(hints)
    ]


@pytest.fixture(params=EXERCISES)
def exercise(request, the_course):
    return the_course.exercise(request.param)


@pytest.fixture
def pairs(exercise):
    return hints_and_answers(read_notebook(exercise.notebook))


def fragment_of(hints) -> str:
    """The code of the third step, with its gaps."""
    (code,) = FENCED.findall(STEP.findall(hints.source)[2][1])
    return code


def test_this_file_knows_all_exercises(the_course):
    assert [exercise.name for exercise in the_course.exercises] == EXERCISES == list(FILLED)


def test_every_function_that_students_write_has_hints(exercise, pairs):
    due = defined_names(exercise.reference.read_text())
    helped = set()
    for hints, answer in pairs:
        assert is_answer(answer) and answer.id.endswith("-answer"), hints.id
        assert hints.id == answer.id.removesuffix("answer") + "hints"
        helped |= defined_names(answer.source)
    assert due <= helped
    assert [hints.id for hints, _ in pairs] == list(FILLED[exercise.name])


def test_there_are_three_steps_with_blank_lines_where_markdown_wants_them(pairs):
    for hints, _ in pairs:
        steps = STEP.findall(hints.source)
        assert [summary for summary, _ in steps] == SUMMARIES, hints.id
        around = STEP.sub("", hints.source)
        assert re.fullmatch(r"Stuck on [^<>]+\n\n\n\n\n\n", around), hints.id
        assert not any(re.search(r"</?(details|summary)", text) for _, text in steps), hints.id
        assert [line for line in hints.source.splitlines() if len(line) > 100] == []


def test_pages_show_them_folded_and_rendered(pairs):
    """On feedback pages and in formgrader, as their templates make HTML of Markdown."""
    for hints, _ in pairs:
        page = BeautifulSoup(clean_markdown(markdown2html_mistune(hints.source)), "html.parser")
        blocks = page.find_all("details", recursive=False)
        assert [block.find(True, recursive=False).get_text() for block in blocks] == SUMMARIES
        assert not any(block.has_attr("open") for block in blocks)
        assert all("list-item" in block.summary["style"] for block in blocks)  # with a triangle
        assert [tag.name for tag in page.find_all(True, recursive=False)] == ["p", *["details"] * 3]
        kinds = [
            {tag.name for tag in b.find_all(True, recursive=False)} - {"summary"} for b in blocks
        ]
        assert kinds == [{"p"}, {"ul"}, {"p", "div"}], hints.id
        assert "`" not in page.get_text().replace("`...`", "") and "* " not in page.get_text()


def test_the_first_step_names_no_tool_and_asks_something(pairs):
    for hints, _ in pairs:
        _, first = STEP.findall(hints.source)[0]
        assert "?" in first and not re.search(r"\b(jax|jnp|optax|time)\.", first), hints.id


def test_only_the_last_step_shows_code_and_it_is_python_with_gaps(exercise, pairs):
    for hints, _ in pairs:
        assert hints.source.count("```") == 2
        code = fragment_of(hints)
        nodes = ast.walk(ast.parse(code))
        gaps = [node for node in nodes if isinstance(node, ast.Constant) and node.value is ...]
        assert len(gaps) == code.count(GAP) == len(FILLED[exercise.name][hints.id]) >= 3, hints.id


def bare_lines(text: str) -> list[str]:
    """Lines without indentation, comments and signatures."""
    lines = [COMMENT.sub("", line).strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith("def ")]


def test_no_hint_holds_the_solution(pairs):
    """Nowhere more than two lines of it in a row, nor all of it where it is shorter."""
    for hints, answer in pairs:
        shown = "\n".join(bare_lines(hints.source))
        solution = bare_lines(SOLUTION.search(answer.source)[0])
        run = min(3, len(solution))
        for start in range(len(solution) - run + 1):
            assert "\n".join(solution[start : start + run]) not in shown, hints.id


def test_the_released_notebook_has_them_too(the_course, exercise, pairs):
    folder = the_course.root / "release" / the_course.lesson_of(exercise).name
    released = hints_and_answers(read_notebook(folder / exercise.notebook.name))
    assert [hints for hints, _ in released] == [hints for hints, _ in pairs]
    assert [answer.id for _, answer in released] == [answer.id for _, answer in pairs]


SAMPLE = "3-generic-forward"


@pytest.mark.slow
def test_with_their_gaps_filled_the_hints_earn_all_points(the_course):
    assert_full_marks_when_filled(the_course, [SAMPLE])


@pytest.mark.slow
@pytest.mark.exhaustive
def test_the_hints_of_all_other_exercises_earn_them_too(the_course):
    assert_full_marks_when_filled(the_course, sorted(FILLED.keys() - {SAMPLE}))


def assert_full_marks_when_filled(the_course, names):
    with local(default_workers()) as executor:
        verdicts = list(executor.map(grade_filled, [the_course.root] * len(names), names))
    for verdict in verdicts:
        assert verdict.full_marks, [c for c in verdict.checks if not c.passed]


def grade_filled(root, name):
    """In a worker: the instructor's notebook with hints for answers, where there are hints."""
    course = load_course(root)
    exercise = course.exercise(name)
    notebook = read_notebook(exercise.notebook)
    for hints, answer in hints_and_answers(notebook):
        filled = fill(fragment_of(hints), FILLED[name][hints.id])
        answer.source = SOLUTION.sub(
            lambda m, code=filled: textwrap.indent(code, m[1]), answer.source
        )
    return grading.grade_notebook(
        exercise, course.lesson_of(exercise), notebook, Confinement()
    ).verdict


def fill(fragment: str, pieces: list[str]) -> str:
    first, *others = fragment.split(GAP)
    return first + "".join(piece + rest for piece, rest in zip(pieces, others, strict=True))
