"""Tells in an instant that a class has not changed since it was graded last.

It looks at files only and imports nothing that takes long: Jupyter and nbgrader need two seconds.
It must not know what a verdict is.
"""

import hashlib
import json
import os
from importlib.metadata import version
from pathlib import Path

from jaxercise import settings

LAST = Path(".jaxercise", "last-run.json")
READ = ("source", "tests/checks", "submitted")  # what verdicts are made from
WRITTEN = ("autograded", "feedback")
MAX_ENTRIES = 200_000  # files and folders; with more, nobody is told that nothing has changed


def before(root: Path, options: list[str]) -> str:
    """Hash of all that a run of ``jaxercise grade`` reads, and of its options."""
    digest = hashlib.sha256(json.dumps(options).encode())
    for name in settings.VERSIONS:
        digest.update(version(name).encode())
    package = Path(__file__).parent
    folders = [package, *(root / name for name in READ)]
    for path in [root / settings.CONFIG, *(p for folder in folders for p in _all_in(folder))]:
        digest.update(os.fsencode(path))
        digest.update(_content(path))
    return digest.hexdigest()


def after(root: Path) -> str:
    """Hash of the sizes and times of what a run writes: the gradebook, and files."""
    found = [settings.gradebook_file(root), *(p for n in WRITTEN for p in _all_in(root / n))]
    stats = [(str(p), s.st_size, s.st_mtime_ns) for p in found if p and (s := _stat(p))]
    return hashlib.sha256(json.dumps(stats).encode()).hexdigest()


def last_words(root: Path, state: str) -> str | None:
    """What the last run said, if it read just this and nobody has touched what it wrote."""
    try:
        last = json.loads((root / LAST).read_text())
        same = last["before"] == state and last["after"] == after(root)
        return str(last["said"]) if same and settings.gradebook_file(root) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(root: Path, state: str, said: str) -> None:
    """Remember what a run said. ``state`` is ``before`` of when it began: what was handed in
    meanwhile has not been read."""
    (root / LAST).write_text(json.dumps({"before": state, "after": after(root), "said": said}))


def _all_in(folder: Path) -> list[Path]:
    found: list[Path] = []
    for top, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        found += [Path(top, name) for name in sorted([*folders, *files])]
        if len(found) > MAX_ENTRIES:
            return [*found, Path("/proc/sys/kernel/random/uuid")]  # says something else each time
    return found


def _content(path: Path) -> bytes:
    """A hash of what a file holds, or of what can be known of anything else."""
    try:
        if path.is_symlink():
            return os.fsencode(path.readlink())
        if not path.is_file():
            return b"no file"
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError as error:
        return repr(error).encode()


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None
