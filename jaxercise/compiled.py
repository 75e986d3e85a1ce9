"""Compiled programs kept from the model solution's run, so that nobody waits for XLA twice.

Every room gets a copy and none gives anything back, so nothing that is lent can have been
poisoned. A room of programs gets all; an answer's room gets JAX's own small operations only, for
the compiled solution would be an answer. This module must not know checks or points.
"""

import ast
import hashlib
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from jaxercise import reference
from jaxercise.course import Exercise, Lesson

# where JAX's own operations live; `jit_add-<hash>` is kept if one of these has an `add`
LIBRARIES = ("jax.numpy", "jax.lax", "jax.nn", "jax.random")
# and more of them, made of several, that those modules do not name
UNNAMED = {"reduce_all", "reduce_any", "shuffle", "threefry_seed", "threefry_split"}
FOLDER = ".compiled"  # in a room; JAX reads and writes there

# JAX keeps what took long to compile; the many small operations of an eager call did not. And
# XLA's own caches would put the folder's name into the key of each program.
KEEP_ALL = {
    "jax_persistent_cache_enable_xla_caches": "none",
    "jax_persistent_cache_min_compile_time_secs": 0,
    "jax_persistent_cache_min_entry_size_bytes": 0,
}

# The usual way. What a notebook and its checks compile runs a few times, so compiling is the cost.
# Without any optimisation it is no less, for then a heavy step takes twice as long to run. Values
# agree to 1e-6.
USUAL_COMPILE = "--xla_backend_optimization_level=1 --xla_cpu_parallel_codegen_split_count=1"

# The quick way, which is tried first: XLA's older emitters for fused loops. CPU seconds for the
# cells of the five model solutions, nothing kept, jax 0.10.1: 33.3 in the usual way, 23.6 in this.
# But they write out anew each use of a value, and a chain of six `hypot`, in a right answer, never
# came to an end. So a room that ends, or does not answer, is opened once more in the usual way.
# 0.12 does not know the flag, and one that is not known ends the process.
QUICK_COMPILE = USUAL_COMPILE
if version("jaxlib").startswith("0.10."):
    QUICK_COMPILE += " --xla_cpu_use_fusion_emitters=false"
TWO_WAYS = QUICK_COMPILE != USUAL_COMPILE


@dataclass(frozen=True)
class Compiled:
    """Files for the rooms of one exercise, by their names there."""

    answers: Mapping[str, bytes] = field(default_factory=dict)
    programs: Mapping[str, bytes] = field(default_factory=dict)


def lent(exercise: Exercise, lesson: Lesson, kind: str) -> Compiled:
    """What is kept for an exercise, or nothing.

    Args:
        kind: "file" or "notebook"; they compile different things.
    """
    kept = _kept(exercise, lesson, kind)
    return Compiled(_files(kept / "answers"), _files(kept / "programs"))


def _files(folder: Path) -> dict[str, bytes]:
    return {f"{FOLDER}/{path.name}": path.read_bytes() for path in sorted(folder.glob("*-cache"))}


def fill(
    exercise: Exercise,
    lesson: Lesson,
    kind: str,
    run: Callable[[], tuple[Mapping[str, bytes], Mapping[str, bytes]]],
) -> None:
    """Keep what the model solution's run compiles, unless it is kept already.

    Args:
        run: runs the solution; returns the files of its answer's room and its programs' room.
    """
    kept = _kept(exercise, lesson, kind)
    if kept.is_dir():
        return
    kept.parent.mkdir(parents=True, exist_ok=True)
    answers, programs = run()
    solution = _names(reference.module_source(exercise))
    harmless = {n: data for n, data in answers.items() if _is_jaxs_own(n, solution)}
    with tempfile.TemporaryDirectory(dir=kept.parent) as name:
        fresh = Path(name) / "fresh"
        for part, files in (("answers", harmless), ("programs", programs)):
            (fresh / part).mkdir(parents=True)
            for file, data in files.items():
                (fresh / part / Path(file).name).write_bytes(data)
        if not kept.exists():
            fresh.rename(kept)  # whole or not at all


def _names(source: str) -> set[str]:
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)}


def _is_jaxs_own(file: str, solution: set[str]) -> bool:
    """Whether a cache file, ``jit_<name>-<hash>-cache``, is of an operation of JAX's libraries."""
    import jax  # not above: workers that only hand files on need not wait for it

    name = file.partition("-")[0].removeprefix("jit_")
    public = name.strip("_")
    parts = [getattr(jax, library.partition(".")[2]) for library in LIBRARIES]
    named = public in UNNAMED or any(hasattr(part, public) for part in parts)
    return named and public not in solution


def _kept(exercise: Exercise, lesson: Lesson, kind: str) -> Path:
    """One folder for each state of the notebook, the checks and the compiler."""
    state = hashlib.sha256(f"{version('jaxlib')} {QUICK_COMPILE}".encode())
    for path in (exercise.notebook, exercise.checks):
        state.update(path.read_bytes())
    root = lesson.folder.parents[1] / ".jaxercise" / "compiled" / kind
    return root / f"{exercise.name}-{state.hexdigest()[:12]}"
