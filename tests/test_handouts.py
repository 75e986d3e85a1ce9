"""The hand-outs for students: their code runs, and prints what they show.

The ``python`` blocks of a file run in order, in one process, in a copy of the lesson's folder, with
warnings as errors. A ``text`` block right after one shows what it printed; in a ``text varies``
block the numbers may differ. Links lead to files of the lesson or to official pages.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

LESSON = Path(__file__).parents[1] / "source" / "intro-to-jax"
NAMES = ["functional-patterns.md", "glossary.md", "optax-guide.md"]
HOSTS = {
    "arxiv.org",
    "docs.jax.dev",
    "docs.kidger.site",
    "docs.pytorch.org",
    "flax.readthedocs.io",
    "numpy.org",
    "openxla.org",
    "optax.readthedocs.io",
    "orbax.readthedocs.io",
    "pytorch.org",
}
ANSWERS = (
    "dropout|forward_dropout|per_example_grads|per_example_grad_norms|mlp_forward|benchmark"
    "|compare_jit|make_optimizer|train"
)
FENCED = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DRIVER = """
import contextlib, io, json, sys
blocks, names, printed = json.load(sys.stdin), {"__name__": "__main__"}, []
for i, block in enumerate(blocks, start=1):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(block, f"<python block {i}>", "exec"), names)
    printed.append(out.getvalue())
json.dump(printed, sys.stdout)
"""


def read_blocks(text):
    """[(code, what is shown after it, whether its numbers may vary)] of a hand-out's text."""
    found, end = [], None
    for fence in FENCED.finditer(text):
        language, note, body = fence[1], fence[2].strip(), fence[3]
        if language == "python":
            found.append((body, "", False))
        else:
            assert language == "text" and note in ("", "varies"), f"a block of {language} {note}"
            between = text[end : fence.start()]
            assert end and not between.strip(), f"no code before this output:\n{body}"
            found[-1] = (found[-1][0], body, note == "varies")
        end = fence.end() if language == "python" else None
    return found


def run(blocks, folder, seconds=180):
    """What each block prints, all run in one process in a folder; quick ones take under 60 s."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "XLA_FLAGS")}
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", DRIVER],
        input=json.dumps(blocks),
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=seconds,
        env=environment | {"JAX_PLATFORMS": "cpu", "MPLBACKEND": "agg"},
    )
    assert process.returncode == 0, process.stderr[-3000:]
    return json.loads(process.stdout)


def without_numbers(text):
    return re.sub(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?|\bnan\b", "#", re.sub(r" +", " ", text))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_code_runs_and_prints_what_is_shown(name, tmp_path):
    for path in [*LESSON.glob("*.py"), *LESSON.glob("*.npz")]:
        shutil.copy(path, tmp_path)
    blocks = read_blocks((LESSON / name).read_text())
    for (code, shown, varies), printed in zip(blocks, run([b[0] for b in blocks], tmp_path)):
        if varies:
            shown, printed = without_numbers(shown), without_numbers(printed)
        assert printed == shown, f"after this code:\n{code}"


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_to_files_of_the_lesson_or_to_official_pages(name):
    text = (LESSON / name).read_text()
    for address in re.findall(r"https?:[^\s)>\"'`]+", text):
        link = urlsplit(address)
        assert link.scheme == "https" and link.hostname in HOSTS, address
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCED.sub("", text)):
        if not target.startswith("https:"):
            file, _, anchor = target.partition("#")
            assert (LESSON / (file or name)).is_file(), target
            headings = re.findall(r"^#+ (.*)$", (LESSON / (file or name)).read_text(), re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}
            assert not anchor or anchor in slugs, target


@pytest.mark.parametrize("name", NAMES)
def test_lines_are_short_and_no_exercise_is_answered(name):
    text = (LESSON / name).read_text()
    assert [line for line in text.splitlines() if len(line) > 100] == []
    assert re.findall(rf"\bdef ({ANSWERS})\(", text) == []
