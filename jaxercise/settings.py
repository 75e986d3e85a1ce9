"""The course's settings: what stands in ``nbgrader_config.py``, ours and nbgrader's.

It must not know how anything is graded.
"""

from pathlib import Path

from traitlets import Dict, List, Unicode
from traitlets.config import Config, Configurable, PyFileConfigLoader

CONFIG = "nbgrader_config.py"


class Jaxercise(Configurable):
    """Our own options, set as ``c.Jaxercise.name = value``."""

    public_files = Dict(
        value_trait=List(Unicode()),
        key_trait=Unicode(),
        help="Files besides the notebooks that students get with each lesson. A release is "
        "refused while the lesson's folder holds any other.",
    ).tag(config=True)


def read_config(root: Path) -> Config:
    """All of the course's configuration, with the course's root filled in."""
    config = PyFileConfigLoader(CONFIG, path=str(root)).load_config()
    config.CourseDirectory.root = str(root)
    return config


def ours(root: Path) -> Jaxercise:
    return Jaxercise(config=read_config(root))
