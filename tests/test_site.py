"""The website of the course: what is on it, what must not be, and that it works without a network.

The lesson is not run here, which takes long; a made-up one is.
"""

import re
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import unquote, urldefrag

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from jaxercise.release import files_in

ROOT = Path(__file__).parents[1]
RELEASE = ROOT / "release"
PAGES = sorted(p for p in RELEASE.glob("*/*") if p.suffix in (".ipynb", ".md"))
NEVER = ("BEGIN SOLUTION", "BEGIN HIDDEN TESTS", "from jaxercise import grade")
ELSEWHERE = re.compile(r"^(https?:)?//", re.IGNORECASE)

pytestmark = pytest.mark.slow


def build(output: Path, *options: str) -> subprocess.CompletedProcess:
    program = [sys.executable, str(ROOT / "scripts" / "site" / "build.py"), "--output", str(output)]
    return subprocess.run([*program, *options], capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The course's site, with the lesson not run."""
    output = tmp_path_factory.mktemp("site") / "site"
    done = build(output, "--no-run")
    assert done.returncode == 0, done.stderr
    return output


@pytest.fixture(scope="module")
def pages(site):
    """Every page of the site, parsed, by its file."""
    return {p: BeautifulSoup(p.read_text(), "html.parser") for p in sorted(site.rglob("*.html"))}


def page_of(source: Path, site: Path) -> Path:
    return site / source.parent.name / f"{source.stem}.html"


def test_every_page_of_the_release_is_there_and_listed_in_order(site, pages):
    assert {page_of(source, site) for source in PAGES} <= set(pages)
    table = pages[site / "index.html"].select_one("article table")
    listed = [a["href"] for a in table.select("td:first-child a")]
    assert listed == [page_of(p, site).relative_to(site).as_posix() for p in PAGES]


def test_what_students_download_is_what_was_released(site, pages):
    links = pages[site / "index.html"].select("article a[download]")
    files = {Path(a["href"]).name: site / unquote(a["href"]) for a in links}
    for source in PAGES:
        assert files[source.name].read_bytes() == source.read_bytes()
    for lesson in {source.parent for source in PAGES}:
        with zipfile.ZipFile(files[f"{lesson.name}.zip"]) as archive:
            released = {f"{lesson.name}/{p.relative_to(lesson)}": p for p in files_in(lesson)}
            assert set(archive.namelist()) == set(released)
            assert all(archive.read(name) == p.read_bytes() for name, p in released.items())


def test_only_exercises_say_that_nothing_was_run(site, pages):
    for source in PAGES:
        if source.suffix == ".ipynb":
            cells = nbformat.read(source, as_version=4).cells
            exercise = any(c.metadata.get("nbgrader", {}).get("solution") for c in cells)
            note = pages[page_of(source, site)].select_one("h1 + .admonition").get_text()
            assert ("Nothing has been run here" in note) == exercise
            assert source.name in note


def test_no_solution_and_no_hidden_check_is_on_a_page(pages):
    words = {path: page.get_text() for path, page in pages.items()}
    given = given_text()
    for reference in sorted((ROOT / "reference").glob("*.py")):
        lines = [line.strip() for line in reference.read_text().splitlines()]
        own = [x for x in lines if re.match(r"\w[\w, ]* = |return ", x) and x not in given]
        distinctive = max(own, key=len)
        for path, text in words.items():
            assert distinctive not in text, f"{path.name} shows a line of {reference.name}"
    for path, text in words.items():
        assert not [mark for mark in NEVER if mark in text], path


def given_text() -> str:
    """What instructors wrote for students to read: hand-outs, and cells without a solution."""
    texts = [path.read_text() for path in (ROOT / "source").glob("*/*.md")]
    for path in (ROOT / "source").glob("*/*.ipynb"):
        cells = nbformat.read(path, as_version=4).cells
        texts += [cell.source for cell in cells if "BEGIN SOLUTION" not in cell.source]
    return "\n".join(texts)


def test_nothing_is_loaded_from_another_host(site, pages):
    for path, page in pages.items():
        loaded = [tag["src"] for tag in page.select("[src]")]
        loaded += [tag["href"] for tag in page.select("link[href], use[href], image[href]")]
        loaded += [x for tag in page.select("object[data]") for x in [tag["data"]]]
        loaded += [x.split()[0] for tag in page.select("[srcset]") for x in [tag["srcset"]]]
        assert not [x for x in loaded if ELSEWHERE.match(x)], path
        assert not re.findall(r"""(?:import|fetch)\s*\(?\s*["'](?:https?:)?//""", str(page)), path
        assert_style_is_local(str(page.select("style, [style]")), path)
    for path in site.rglob("*.css"):
        assert_style_is_local(path.read_text(), path)


def assert_style_is_local(style: str, path: Path) -> None:
    addresses = re.findall(r"""(?:url\(|@import)\s*["']?([^"')\s]+)""", style)
    assert not [x for x in addresses if ELSEWHERE.match(x)], path


def test_a_page_has_one_title_and_every_picture_a_text(pages):
    for path, page in pages.items():
        assert len(page.select("h1")) == 1, path
        assert page.html["lang"] == "en"
        for picture in page.select("img"):
            text = picture.get("alt", "")
            # without one, Sphinx takes the picture's address
            assert text and not re.search(r"\.(png|svg|jpe?g|gif)$", text), f"{path}: {picture}"


def test_links_and_anchors_lead_somewhere(pages):
    assert broken_links(pages) == []


def broken_links(pages) -> list[str]:
    broken = []
    for path, page in pages.items():
        for link in page.select("a[href]"):
            address, anchor = urldefrag(link["href"])
            if re.match(r"^[a-z]+:|^//", address):
                continue
            target = (path.parent / unquote(address)).resolve() if address else path.resolve()
            there = pages.get(target)
            if not target.is_file() or (
                anchor and there and unquote(anchor) and not there.find(id=unquote(anchor))
            ):
                broken.append(f"{path.name}: {link['href']}")
    return broken


LESSON = [
    new_markdown_cell("# A lesson\n\nSee [keys](#Keys-and-randomness), $\\sqrt{2}$.\n\n$$x^2$$"),
    new_code_cell("print(6 * 7)"),
    new_code_cell(
        "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
        metadata={"mystnb": {"image": {"alt": "A line that rises"}}},
    ),
    new_code_cell("plt.plot([2, 1])\nplt.show()"),
    new_markdown_cell("## Keys and randomness"),
    new_markdown_cell("## Your turn: `split`"),
]
HAND_OUT = """# Words

A [key](0-lesson.ipynb#Keys-and-randomness), and [a task](0-lesson.ipynb#Your-turn:-split).
"""


def write_lesson(release: Path, *cells) -> None:
    folder = release / "intro"
    folder.mkdir(parents=True, exist_ok=True)
    notebook = new_notebook(cells=[*LESSON, *cells], metadata={"kernelspec": KERNEL})
    nbformat.write(notebook, folder / "0-lesson.ipynb")
    (folder / "words.md").write_text(HAND_OUT)


KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def test_a_lesson_is_run_and_the_links_written_for_jupyterlab_work(tmp_path):
    write_lesson(tmp_path / "release")
    before = {p: p.read_bytes() for p in (tmp_path / "release").rglob("*") if p.is_file()}
    done = build(tmp_path / "site", "--release", str(tmp_path / "release"))
    assert done.returncode == 0, done.stderr
    pages = {p: BeautifulSoup(p.read_text(), "html.parser") for p in tmp_path.rglob("*.html")}
    lesson = pages[tmp_path / "site" / "intro" / "0-lesson.html"]
    assert [x.get_text() for x in lesson.select(".cell_output pre")] == ["42\n"]
    assert [x["alt"] for x in lesson.select(".cell_output img")] == [
        "A line that rises",
        "Picture drawn by the code above",
    ]
    assert [x["display"] for x in lesson.select("math")] == ["inline", "block"]
    # JupyterLab's anchors are there too, for links from outside
    assert {"Keys-and-randomness", "Your-turn:-split"} <= {x["id"] for x in lesson.select("[id]")}
    assert broken_links(pages) == []
    after = {p: p.read_bytes() for p in (tmp_path / "release").rglob("*") if p.is_file()}
    assert after == before


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (new_code_cell("1 / 0"), "ZeroDivisionError"),
        (new_markdown_cell("[lost](words.md#Nowhere)"), "Nowhere"),
        (new_markdown_cell("[lost](nothing.ipynb)"), "nothing.ipynb"),
        (new_markdown_cell("$\\unheardof{x}$"), "unheardof"),
    ],
)
def test_what_is_wrong_fails_the_build_and_leaves_the_old_site(tmp_path, cell, said):
    write_lesson(tmp_path / "release", cell)
    site = tmp_path / "site"
    site.mkdir()
    (site / ".buildinfo").write_text("old")
    run = [] if cell.cell_type == "code" else ["--no-run"]
    done = build(site, "--release", str(tmp_path / "release"), *run)
    assert done.returncode != 0
    assert said in done.stderr
    assert (site / ".buildinfo").read_text() == "old"


def test_a_folder_that_is_no_site_is_not_removed(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    done = build(tmp_path)
    assert done.returncode == 2
    assert "is no site" in done.stderr
    assert (tmp_path / "thesis.txt").exists()
