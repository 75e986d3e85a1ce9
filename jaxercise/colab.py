"""The first cell of a released notebook: in Colab, which opens a notebook alone, it fetches the
lesson's other files from the address that ``c.Jaxercise.files_address`` names.

It must not know a lesson.
"""

from pathlib import Path

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from jaxercise.course import load_course
from jaxercise.settings import Jaxercise, find_root

CELL = "files"  # id of the cell, which holds a remark in the source
ELSEWHERE = "# In Colab, first upload the files that came with this notebook. Elsewhere do nothing."
FETCHING = """# In Colab this fetches the files that came with the notebook; elsewhere nothing.
import sys

if "google.colab" in sys.modules:
    import importlib.util
    import subprocess
    from pathlib import Path
    from urllib.request import urlretrieve

    for name in {names}:
        Path(name).parent.mkdir(exist_ok=True)
        urlretrieve(f"{address}/{{name}}", name)
    missing = [name for name in {packages} if importlib.util.find_spec(name) is None]
    if missing:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *missing], check=True)"""
PACKAGES = ["equinox", "flax", "optax"]  # what the rest of the lesson needs, Colab has


class FirstCell(NbGraderPreprocessor):
    """Write that cell while an assignment is generated."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        address = Jaxercise(config=self.config).files_address.rstrip("/")
        course = load_course(find_root(Path.cwd()))  # nbgrader works in the course's root
        name = resources["nbgrader"]["assignment"]
        lesson = next(lesson for lesson in course.lessons if lesson.name == name)
        files = [path.relative_to(lesson.folder).as_posix() for path in lesson.public_files]
        for cell in nb.cells:
            if cell.get("id") == CELL:
                cell.source = source(address, [f for f in files if not f.endswith(".md")])
        return nb, resources


def source(address: str, names: list[str]) -> str:
    """The cell's code; without an address a remark on what to do instead."""
    if not address:
        return ELSEWHERE
    return FETCHING.format(names=names, address=address, packages=PACKAGES)
