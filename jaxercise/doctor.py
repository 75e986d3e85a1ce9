"""Looks over the installation and the machine, and has the course looked over, for the command
``jaxercise doctor``.

It must change nothing, and must not need what it looks for: what takes imports is imported late.
"""

import os
import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from jaxercise import sandbox, settings, workers

LOCK = "requirements.lock"
WRONG_RESULTS = {"jax": "0.10.2", "jaxlib": "0.10.2"}  # jax issue 39103
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
DISK_BYTES = 2**30  # pages and verdicts of a class, compiled programs, nbgrader's copies
GIB = 2**30


@dataclass(frozen=True)
class Finding:
    """What one look showed.

    Attributes:
        ok: nothing is to be done.
        what: what is there, or what is wrong.
        cure: the command that mends it, or words where no command does.
        stops: whether this has to be mended before work goes on; what is not ``ok`` and does not
            stop anything is a note.
    """

    ok: bool
    what: str
    cure: str = ""
    stops: bool = False


def good(what: str) -> Finding:
    return Finding(True, what)


def note(what: str, cure: str = "") -> Finding:
    return Finding(False, what, cure)


def wrong(what: str, cure: str) -> Finding:
    return Finding(False, what, cure, stops=True)


def as_text(finding: Finding) -> str:
    """A line, and below it what to do."""
    kind = "ok" if finding.ok else "WRONG" if finding.stops else "note"
    what = " ".join(finding.what.split())
    lines = [f"{kind:<6} {what}"]
    if finding.cure:
        cure = textwrap.dedent(finding.cure)
        lines.append(textwrap.indent(f"mend it: {cure}" if "\n" not in cure else cure, " " * 7))
    return "\n".join(lines).encode(errors="replace").decode()  # a file's name may be no text


def examine(root: Path) -> Iterator[Finding]:
    """Everything, one finding after the other, as far as one can be had without the one before."""
    lock = next((f for f in (root / LOCK, checkout() / LOCK) if f.is_file()), None)
    installed = list(packages(lock))
    yield from installed
    if any(finding.stops for finding in installed):
        yield note("The rest was not looked at: it needs these packages.")
        return
    yield from programs()
    yield from machine(root)
    from jaxercise import inspection

    settled = list(inspection.configuration(root))
    yield from settled
    if any(finding.stops for finding in settled):
        yield note(f"The rest was not looked at: it needs {settings.CONFIG}.")
        return
    yield from confinement(root)
    yield from inspection.course(root)


def checkout() -> Path:
    """The folder that this package is installed from."""
    return Path(__file__).resolve().parents[1]


def installed_version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def packages(lock: Path | None) -> Iterator[Finding]:
    """Python and packages, against what is needed and against the pinned versions."""
    python = ".".join(map(str, sys.version_info[:3]))
    cure = shlex.join([sys.executable, "-m", "pip", "install", "--requirement", str(lock or LOCK)])
    for name, version in WRONG_RESULTS.items():
        if installed_version(name) == version:
            yield wrong(f"{name} {version} computes wrong results on the CPU", cure)
    if missing := [name for name in needed() if installed_version(name) is None]:
        yield wrong(f"Packages are missing: {', '.join(missing)}", cure)
        return
    if lock is None:
        yield note(f"Python {python}; there is no {LOCK} to compare packages with")
        return
    pins = pinned(lock)
    found = {name: installed_version(name) for name in pins}
    other = [f"{n} {found[n]} (pinned: {v})" for n, v in pins.items() if found[n] not in (v, None)]
    absent = [name for name in pins if found[name] is None]
    if other:
        yield note(f"Other versions than in {LOCK}: {', '.join(other)}", cure)
    if absent:
        yield note(f"In {LOCK} and not installed: {', '.join(absent)}", cure)
    if not other and not absent:
        yield good(f"Python {python}, and {len(pins)} packages as in {LOCK}")


def needed() -> list[str]:
    """The packages that Jaxercise cannot do without here."""
    from packaging.requirements import Requirement

    try:
        wanted = [Requirement(line) for line in metadata.requires("jaxercise") or []]
    except metadata.PackageNotFoundError:
        return []  # run from its folder
    return [r.name for r in wanted if r.marker is None or r.marker.evaluate({"extra": ""})]


def pinned(lock: Path) -> dict[str, str]:
    """The version that a lock file pins for this Python, by package."""
    from packaging.requirements import Requirement

    lines = [line.strip() for line in lock.read_text().splitlines()]
    pins = [Requirement(line) for line in lines if line and not line.startswith(("#", "-"))]
    return {
        pin.name: next(iter(pin.specifier)).version
        for pin in pins
        if pin.specifier and (pin.marker is None or pin.marker.evaluate())
    }


def programs() -> Iterator[Finding]:
    """What is started by its bare name."""
    beside = Path(sys.executable).parent
    for name in ("nbgrader", "alembic"):
        on_path = shutil.which(name)
        if on_path and Path(on_path).parent == beside:
            yield good(f"{name} is on the path")
        elif shutil.which(name, path=str(beside)):
            there = f"the path has {on_path}" if on_path else "it is not on the path"
            yield note(
                f"{name}: {there}, and nbgrader's own commands should find this environment's",
                f"export PATH={shlex.quote(str(beside))}{os.pathsep}$PATH",
            )
        else:
            yield wrong(f"{name} is not installed in {beside}", "make setup")
    if shutil.which("make"):
        yield good("make is on the path")
    else:
        yield wrong("make is not installed", "sudo apt-get install make")
    if any(map(shutil.which, BROWSERS)):
        yield good("Chromium is there")
    else:
        cure = "sudo apt-get install chromium"
        yield note("There is no Chromium; only tests of pages in a browser need it", cure)


def machine(root: Path) -> Iterator[Finding]:
    """Memory and disk, for one worker at the least."""
    free, enough = workers.free_bytes(), workers.WORKER_BYTES
    if free < enough:
        yield wrong(
            f"{free / GIB:.1f} GiB of memory are free; a worker needs {enough / GIB:.0f}",
            "end other programs, or grade on a larger machine (docs/speed.md)",
        )
    else:
        at_once = workers.default_workers()
        yield good(f"{free / GIB:.1f} GiB of memory are free, enough for {at_once} at once")
    disk = shutil.disk_usage(root).free
    if disk < DISK_BYTES:
        yield wrong(
            f"{disk / GIB:.1f} GiB of disk are free; a class needs {DISK_BYTES / GIB:.0f}",
            "make clean, or make room elsewhere on this disk",
        )
    else:
        yield good(f"{disk / GIB:.1f} GiB of disk are free")


def confinement(root: Path) -> Iterator[Finding]:
    """Whether submissions can really be shut in: a room is opened and ended."""
    configured = settings.confinement(root)
    try:
        sandbox.try_out(configured)
    except sandbox.NoSandbox as error:
        what, _, cure = str(error).partition("\n")
        yield wrong(what, cure)
        return
    if configured.kind == "bubblewrap":
        yield good("A sandbox was started, and ended")
    else:
        yield note(
            f"Submissions run without bubblewrap (c.Jaxercise.sandbox = {configured.kind!r})",
            f"leave that setting out of {settings.CONFIG}; docs/trust.md says what it costs",
        )
