"""Makes the website of the course from ``release/``, the student version.

    python scripts/site/build.py                    make site
    python scripts/site/build.py --no-run           without running the lesson, which is quick

The pages are made from copies in a temporary folder. It must not read ``source/``, ``reference/``
or ``tests/``: what is not in the release cannot get onto a page.
"""

import argparse
import re
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from sphinx.cmd.build import build_main

from jaxercise.course import is_answer, nbgrader_metadata, read_notebook

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FIRST_HEADING = re.compile(r"^# +(.+?) *$", re.MULTILINE)
MADE_BY_US = ".buildinfo"  # Sphinx writes it into every site

READ_ONLY = """\
```{{note}}
This page is for reading. You solve the exercise in {download}; it needs the files beside it, which
are in {everything}. Nothing has been run here, because the answers are yours to write.
```"""
ALREADY_RUN = """\
```{{note}}
Everything on this page has been run, so you can just read it. To try things out, open {download};
it needs the files beside it, which are in {everything}.
```"""


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the website of the course.")
    parser.add_argument("--release", type=Path, default=ROOT / "release")
    parser.add_argument("--output", type=Path, default=ROOT / "site")
    parser.add_argument("--no-run", action="store_true", help="do not run the lesson")
    options = parser.parse_args()
    if options.output.exists() and not (options.output / MADE_BY_US).exists():
        parser.error(f"{options.output} is there, and is no site that this program made")
    with tempfile.TemporaryDirectory(prefix="jaxercise-site-") as name:
        staged, made = Path(name, "pages"), Path(name, "site")
        stage(options.release, staged)
        arguments = ["-b", "html", "-c", str(HERE), "-d", str(Path(name, "doctrees")), "-qnW"]
        arguments += ["-D", "nb_execution_mode=off"] if options.no_run else []
        if code := build_main([*arguments, "--keep-going", str(staged), str(made)]):
            return code
        # only now: a build that fails leaves the old site as it was
        shutil.rmtree(options.output, ignore_errors=True)
        shutil.move(made, options.output)
    print(f"The website of the course: {options.output / 'index.html'}")
    return 0


def stage(release: Path, staged: Path) -> None:
    """Copy all lessons to where Sphinx reads them, with a start page, notes and downloads."""
    lessons = sorted(path for path in release.iterdir() if path.is_dir() and path.name[0] != ".")
    keep_out = shutil.ignore_patterns("__pycache__", ".*")
    for lesson in lessons:
        # twice, because the notebooks that students get must have no notes in them
        shutil.copytree(lesson, staged / lesson.name, ignore=keep_out)
        shutil.copytree(lesson, staged / "downloads" / lesson.name, ignore=keep_out)
        write_zip(staged / "downloads" / lesson.name)
        for path in (staged / lesson.name).glob("*.ipynb"):
            prepare(path)
    start = (HERE / "index.md").read_text()
    tables = "\n\n".join(list_pages(staged / lesson.name) for lesson in lessons)
    zips = ", ".join(download(lesson.name, "") for lesson in lessons)
    start = start.replace("<!-- pages -->", tables).replace("<!-- zips -->", zips)
    (staged / "index.md").write_text(start)


def write_zip(folder: Path) -> None:
    with zipfile.ZipFile(folder.with_suffix(".zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            archive.write(path, path.relative_to(folder.parent))


def prepare(path: Path) -> None:
    """Put a note under the notebook's title, and say that an exercise must not be run."""
    notebook = read_notebook(path)
    exercise = is_exercise(notebook)
    if exercise:
        notebook.metadata["mystnb"] = {"execution_mode": "off"}
    links = {"download": download(path.parent.name, path.name)}
    links["everything"] = download(path.parent.name, "")
    note = (READ_ONLY if exercise else ALREADY_RUN).format(**links)
    first = next(cell for cell in notebook.cells if FIRST_HEADING.search(cell.source))
    end = FIRST_HEADING.search(first.source).end()
    first.source = f"{first.source[:end]}\n\n{note}\n{first.source[end:]}"
    nbformat.write(notebook, path)


def list_pages(folder: Path) -> str:
    """A table of a lesson's pages in the order of their names, and Sphinx's own list of them."""
    pages = sorted(path for path in folder.iterdir() if path.suffix in (".ipynb", ".md"))
    rows = ["| page | what it is | to download |", "|---|---|---|"]
    for path in pages:
        link = f"[{title(path)}]({folder.name}/{path.name})"
        rows.append(f"| {link} | {describe(path)} | {download(folder.name, path.name)} |")
    names = [f"{folder.name}/{path.stem}" for path in pages]
    return "\n".join([*rows, "", "```{toctree}", ":hidden:", "", *names, "```"])


def describe(path: Path) -> str:
    if path.suffix == ".md":
        return "to look things up"
    notebook = read_notebook(path)
    if not is_exercise(notebook):
        return "lesson, with everything run"
    points = sum(nbgrader_metadata(cell).get("points", 0) for cell in notebook.cells)
    return f"exercise, {points:g} points"


def title(path: Path) -> str:
    if path.suffix == ".md":
        text = path.read_text()
    else:
        text = "\n".join(c.source for c in read_notebook(path).cells if c.cell_type == "markdown")
    match = FIRST_HEADING.search(text)
    return match[1] if match else path.stem


def is_exercise(notebook: NotebookNode) -> bool:
    return any(is_answer(cell) for cell in notebook.cells)


def download(lesson: str, name: str) -> str:
    """A link to a file of the lesson, or to all of them in one."""
    path = f"{lesson}/{name}" if name else f"{lesson}.zip"
    return f"{{download}}`{name or path} </downloads/{path}>`"


if __name__ == "__main__":
    sys.exit(main())
