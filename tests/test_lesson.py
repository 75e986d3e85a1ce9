"""The lesson: it runs from top to bottom, says what it claims, and its links lead somewhere."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jaxercise.course import load_course, read_notebook

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "source" / "intro-to-jax"
LESSON = FOLDER / "0-lesson.ipynb"
LIMIT_S = 240  # alone it takes some 45 s on two cores

# Runs each cell as Python, so that any warning is an error; Jupyter's own would be, too.
RUNNER = """
import json, sys
from pathlib import Path
import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt
sys.path.insert(0, ".")
plt.show = lambda: None  # pictures are drawn below
for cell in json.loads(Path("0-lesson.ipynb").read_text())["cells"]:
    if cell["cell_type"] == "code":
        print(f"##### {cell['id']}", flush=True)
        exec(compile("".join(cell["source"]), cell["id"], "exec"), globals())
        figures = [plt.figure(number) for number in plt.get_fignums()]
        for figure in figures:
            figure.savefig("picture.png")
        print(f"##### pictures: {len(figures)}")
        plt.close("all")
"""

# What a cell must have printed for the text around it to be true.
SAID = {
    "arrays-at": ["TypeError", "y[0, 0] is 5.0", "x[0, 0] is 0.0"],
    "arrays-bounds": ["2 and [0 1 2]"],
    "grad-tanh": ["tanh'(1) = 0.4199743"],
    "jit-jaxpr": ["sin", "reduce_sum"],
    "jit-if": ["by_shape: 4.0", "TracerBoolConversionError"],
    "jit-cond": ["3.0 [0 1] 9.0"],
    "jit-scan": ["same result: True"],
    "vmap-axes": ["(5,)"],
    "vmap-nested": ["(100, 100)"],
    "vmap-grads": ["their mean: -17.0", "mean loss: -17.0"],
    "pytrees-order": ["['b1', 'w1', 'b10', 'w10', 'b2', 'w2']"],
    "functions-pure": ["calls: 1"],
    "network-softmax": ["-inf", "-1000."],
    "network-train": ["31 steps an epoch leave out 32 examples; traces of step: 1"],
    "full-run": ["not run"],
    "orbax": ["restored, bit for bit: True"],
    "devices-mesh": ["device 3 holds rows 6 to 7"],
    "devices-jit": ["8 devices", "True"],
    "devices-shard-map": ["each device sees (2, 784)"],
    "devices-pmap": ["15 rows cannot be cut"],
    "pitfalls-profile": ["'.gz', '.pb'"],
}
LINES = {"jit-trace": 3, "pitfalls-print": 3}  # how many lines the cell must print
OFFICIAL = re.compile(
    r"https://(docs\.jax\.dev|docs\.pytorch\.org|flax(-linen)?\.readthedocs\.io|docs\.kidger\.site"
    r"|optax\.readthedocs\.io|orbax\.readthedocs\.io|arxiv\.org|colinraffel\.com)(/|$)"
)


def pythons() -> list[str]:
    """This one, and that of the environment for the newer JAX, if somebody has made it."""
    newer = ROOT / ".venv-3.12" / "bin" / "python"
    return [sys.executable, *([str(newer)] if newer.exists() else [])]


def cells() -> dict[str, str]:
    return {cell["id"]: cell.source for cell in read_notebook(LESSON).cells}


def anchors() -> set[str]:
    """What JupyterLab makes of the lesson's headings."""
    texts = [c.source for c in read_notebook(LESSON).cells if c.cell_type == "markdown"]
    heads = [h for text in texts for h in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]
    return {re.sub(r"[`]", "", head).strip().replace(" ", "-") for head in heads}


@pytest.mark.slow
@pytest.mark.parametrize("python", pythons(), ids=lambda path: Path(path).parts[-3])
def test_the_lesson_runs_and_its_cells_print_what_it_says(python, tmp_path):
    work = tmp_path / "lesson"
    shutil.copytree(FOLDER, work, ignore=shutil.ignore_patterns("__pycache__"))
    script = tmp_path / "run.py"
    script.write_text(RUNNER)
    command = [python, "-W", "error", str(script)]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=LIMIT_S)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr
    parts = re.split(r"^##### ([\w-]+)\n", done.stdout, flags=re.MULTILINE)[1:]
    printed = {
        name: re.sub("##### pictures.*\n", "", text) for name, text in zip(parts[::2], parts[1::2])
    }
    for name, phrases in SAID.items():
        for phrase in phrases:
            assert phrase in printed[name], (name, printed[name])
    for name, count in LINES.items():
        assert len(printed[name].splitlines()) == count, (name, printed[name])
    random = re.findall(r"-?\d\.\d+", printed["keys-same"])
    assert len(random) == 6 and len(set(random[:3])) == 1 and len(set(random[3:])) == 3
    frozen = re.findall(r"-?\d\.\d+", printed["keys-numpy"])
    assert len(set(frozen[:3])) == 1 and len(set(frozen[3:])) == 3
    apart = [float(n) for n in re.findall(r"at most (\S+) apart", printed["four-compare"])]
    assert len(apart) == 4 and max(apart) < 1e-3  # measured below 1e-5
    assert re.search(r"9\d\.\d% of 500 test digits", printed["network-test"])
    assert done.stdout.count("##### pictures: 1") == 13


def test_every_correction_names_cells_that_are_there():
    rows = (ROOT / "docs" / "lesson-corrections.md").read_text().splitlines()
    rows = [row.split("|")[1:-1] for row in rows if row.startswith("|")][2:]
    assert len(rows) == 24
    named = {name for row in rows for name in re.findall(r"`([\w-]+)`", row[2])}
    assert named and named <= cells().keys(), named - cells().keys()
    assert all("`" in row[2] or "all of it" in row[2] for row in rows)


def test_links_lead_somewhere():
    headings = anchors()
    for path in sorted(FOLDER.glob("*.ipynb")):
        for cell in read_notebook(path).cells:
            if cell.cell_type != "markdown":
                continue
            for target in re.findall(r"\]\(([^)\s]+)\)", cell.source):
                where = f"{path.name}, {cell['id']}: {target}"
                if target.startswith("http"):
                    assert path != LESSON or OFFICIAL.match(target), where
                    continue
                file, _, anchor = target.partition("#")
                assert not file or (FOLDER / file).exists(), where
                if anchor and file in ("", LESSON.name):
                    assert path == LESSON or file, where
                    assert anchor in headings, where


def test_every_exercise_points_back_to_the_lesson():
    (lesson,) = load_course(ROOT).lessons
    for exercise in lesson.exercises:
        text = "".join(c.source for c in read_notebook(exercise.notebook).cells)
        assert "(0-lesson.ipynb#" in text, exercise.name


def test_every_section_asks_to_predict():
    source = json.loads(LESSON.read_text())["cells"]
    text = "".join("".join(c["source"]) + "\n" for c in source if c["cell_type"] == "markdown")
    sections = dict(re.findall(r"^## (.+?)$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    without = {"Setting up", "Check yourself", "What this lesson does not say", "Where to go next"}
    assert without < sections.keys()
    for name, words in sections.items():
        assert name in without or "**Predict.**" in words, name
