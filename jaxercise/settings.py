"""The course's settings: what stands in ``nbgrader_config.py``, ours and nbgrader's.

It must not know how anything is graded.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from traitlets import CaselessStrEnum, Dict, Float, Integer, List, Unicode
from traitlets.config import Config, Configurable, PyFileConfigLoader

CONFIG = "nbgrader_config.py"
MIB = 2**20
VERSIONS = ("jax", "jaxlib", "flax", "optax", "numpy")  # of packages that a verdict depends on


class CourseError(Exception):
    """The course's own files are not what they should be, or not where they should be."""


@dataclass(frozen=True)
class Limits:
    """What a submission may use; each can be set in ``nbgrader_config.py``, see ``Jaxercise``."""

    cell_s: float = 120.0
    notebook_s: float = 600.0
    answer_s: float = 20.0
    memory_bytes: int = 4096 * MIB
    tasks: int = 1000
    written_bytes: int = 256 * MIB
    output_bytes: int = 2 * MIB


@dataclass(frozen=True)
class Confinement:
    """Where submissions run, and what they may use there.

    ``kind`` is "bubblewrap", or "process" for the weaker kind without bubblewrap.
    """

    kind: str = "bubblewrap"
    limits: Limits = Limits()


class Jaxercise(Configurable):
    """Our own options, set as ``c.Jaxercise.name = value``."""

    public_files = Dict(
        value_trait=List(Unicode()),
        key_trait=Unicode(),
        help="Files besides the notebooks that students get with each lesson. A release is "
        "refused while the lesson's folder holds any other.",
    ).tag(config=True)
    files_address = Unicode(
        "",
        help="Where the released files of a lesson can be fetched, as a URL of their folder. "
        "Notebooks opened in Colab begin by fetching them.",
    ).tag(config=True)
    sandbox = CaselessStrEnum(
        ["bubblewrap", "process"],
        default_value=Confinement.kind,
        help="Where submissions run. 'process' protects less and is said on every page.",
    ).tag(config=True)
    cell_seconds = Float(
        Limits.cell_s,
        help="A cell; the slowest right answer needs 60 s for one on two busy cores.",
    ).tag(config=True)
    notebook_seconds = Float(
        Limits.notebook_s, help="All cells of a notebook together; then the rest is not run."
    ).tag(config=True)
    answer_seconds = Float(
        Limits.answer_s,
        help="One question of a check to an answer, or one run of a traced function. The slowest "
        "right answer of the stored ones needs 7 s on a busy machine.",
    ).tag(config=True)
    memory_mib = Integer(
        Limits.memory_bytes // MIB,
        help="Memory of everything that a notebook started, in MiB. The lesson needs about 900.",
    ).tag(config=True)
    tasks = Integer(
        Limits.tasks,
        help="Processes and threads together. JAX starts some 30 threads on two cores, and more "
        "where there are more cores.",
    ).tag(config=True)
    written_mib = Integer(
        Limits.written_bytes // MIB,
        help="What a notebook may write, in MiB: its folder, /tmp and /dev/shm together.",
    ).tag(config=True)
    output_mib = Float(
        Limits.output_bytes / MIB,
        help="Output that is kept of a notebook, in MiB: text, pictures and tables together.",
    ).tag(config=True)

    def confinement(self) -> Confinement:
        """The settings that say where submissions run."""
        limits = Limits(
            cell_s=self.cell_seconds,
            notebook_s=self.notebook_seconds,
            answer_s=self.answer_seconds,
            memory_bytes=self.memory_mib * MIB,
            tasks=self.tasks,
            written_bytes=self.written_mib * MIB,
            output_bytes=int(self.output_mib * MIB),
        )
        return Confinement(self.sandbox, limits)


def find_root(start: Path | None = None) -> Path:
    """Walk up from ``start`` (the working folder) to the folder that holds the course.

    Falls back to the checkout that this package is installed from.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents, Path(__file__).resolve().parents[1]):
        if (folder / CONFIG).is_file() and (folder / "source").is_dir():
            return folder
    raise CourseError(f"No course here: neither {here} nor a folder above it holds {CONFIG}.")


def gradebook_file(root: Path) -> Path | None:
    """The gradebook, if it is a file as it is by default; None for a database elsewhere."""
    configured = read_config(root).CourseDirectory.get("db_url", "")
    if not configured:
        return root / "gradebook.db"
    found = str(configured).removeprefix("sqlite:///")
    return None if found == str(configured) else root / found


def read_config(root: Path) -> Config:
    """All of the course's configuration, with the course's root filled in."""
    config = PyFileConfigLoader(CONFIG, path=str(root)).load_config()
    config.CourseDirectory.root = str(root)
    return config


def ours(root: Path) -> Jaxercise:
    return Jaxercise(config=read_config(root))


def confinement(root: Path, kind: str | None = None) -> Confinement:
    """Where the course's submissions run: as configured, or in the given kind of sandbox."""
    configured = ours(root).confinement()
    return configured if kind is None else replace(configured, kind=kind)
