"""Measures how fast a class is graded: plain nbgrader, Jaxercise, and the limit, in one run.

    python scripts/bench.py                     make bench
    python scripts/bench.py --scale 30 100      make bench-scale

The limit is the same cells and the same checks in as many processes as there are workers, already
warm, with no sandbox, no kernel and no files. Everything happens in a copy of the course.
"""

import argparse
import contextlib
import io
import json
import multiprocessing
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event, Thread

from jaxercise import classroom, judging, kernel, sample_class
from jaxercise.course import Course, load_course, nbgrader_metadata, read_notebook
from jaxercise.release import release
from jaxercise.workers import default_workers

ROOT = Path(__file__).resolve().parents[1]
TICKS = os.sysconf("SC_CLK_TCK")
PLAIN = "c.Autograde.exporter_class", "c.Autograde.sanitize", "c.Autograde.autograde_pre"


@dataclass(frozen=True)
class Cost:
    """What grading some notebooks took; memory is what the machine had less of meanwhile."""

    notebooks: int
    wall_s: float
    cpu_s: float
    peak_bytes: int

    @property
    def a_minute(self) -> float:
        return 60 * self.notebooks / self.wall_s


@contextmanager
def copy_of_course() -> Iterator[Course]:
    with tempfile.TemporaryDirectory(prefix="jaxercise-bench-") as name:
        root = Path(name)
        for part in ("source", "tests/checks", "tests/answers"):
            shutil.copytree(ROOT / part, root / part)
        shutil.copy(ROOT / "nbgrader_config.py", root)
        course = load_course(root)
        for lesson in course.lessons:
            release(course, lesson)
        yield course


def measured(work: Callable[[], object], notebooks: int) -> Cost:
    """Run ``work`` on an otherwise idle machine and see what the machine spent."""
    lowest, stop = [_available()], Event()

    def watch() -> None:
        while not stop.wait(0.1):
            lowest.append(_available())

    watcher = Thread(target=watch)
    before, cpu, began = lowest[0], _busy(), time.perf_counter()
    watcher.start()
    try:
        work()
    finally:
        wall, cpu = time.perf_counter() - began, _busy() - cpu
        stop.set()
        watcher.join()
    return Cost(notebooks, wall, cpu, before - min(lowest))


def _busy() -> float:
    """CPU seconds of all processes of the machine since it started."""
    user, nice, system = map(int, Path("/proc/stat").read_text().split()[1:4])
    return (user + nice + system) / TICKS


def _available() -> int:
    lines = Path("/proc/meminfo").read_text().splitlines()
    return 1024 * next(int(x.split()[1]) for x in lines if x.startswith("MemAvailable"))


def by_jaxercise(course: Course, *options: str) -> None:
    command = [sys.executable, "-m", "jaxercise", "grade", "--json", *options]
    subprocess.run(command, cwd=course.root, check=True, stdout=subprocess.DEVNULL)


def by_nbgrader(course: Course, students: list[str]) -> None:
    """nbgrader in its own way: as `nbgrader autograde` without our three settings."""
    config = course.root / "nbgrader_config.py"
    ours = config.read_text()
    lines, skipping = [], False
    for line in ours.splitlines():
        skipping = line.startswith(PLAIN) or (skipping and line.startswith((" ", "]")))
        lines += [] if skipping else [line]
    config.write_text("\n".join(lines))
    try:
        for student in students:
            subprocess.run(
                [sys.executable, "-m", "nbgrader", "autograde", course.lessons[0].name, "--force",
                 "--student", student, "--Execute.timeout=600"],
                cwd=course.root, check=True, capture_output=True,
                env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            )  # fmt: skip
    finally:
        config.write_text(ours)


def at_the_limit(course: Course, executor: ProcessPoolExecutor) -> None:
    due = classroom.due_submissions(course, course.lessons[0])
    list(executor.map(partial(_in_this_process, course.root), due))


def _in_this_process(root: Path, due: classroom.Submission) -> float:
    """Run a notebook's cells and checks here, where all is warm; returns the mark."""
    import matplotlib.pyplot as plt

    course = load_course(root)
    exercise = course.exercise(due.exercise)
    sys.path[:] = [str(course.lessons[0].folder), *sys.path]
    namespace: dict = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in read_notebook(due.folder / f"{exercise.name}.ipynb").cells:
            if cell.cell_type != "code" or nbgrader_metadata(cell).get("grade"):
                continue
            with contextlib.suppress(BaseException):
                exec(compile(cell.source, exercise.name, "exec"), namespace)
            for number in plt.get_fignums():
                plt.figure(number).savefig(io.BytesIO())
            plt.close("all")
    student = kernel.student_of_namespace(namespace)
    return judging.judge(exercise.name, exercise.checks, student).score


def _warm_up() -> None:
    from jaxercise.compiled import QUICK_COMPILE

    os.environ["XLA_FLAGS"] = QUICK_COMPILE
    os.environ["MPLBACKEND"] = "agg"


def bench(students: int, rounds: int) -> list[tuple[str, Cost]]:
    """Grade a class in each way, ``rounds`` times in turn."""
    rows: list[tuple[str, Cost]] = []

    def add(name: str, work: Callable[[], object]) -> None:
        rows.append((name, measured(work, notebooks)))
        print(name, row(rows[-1][1]), file=sys.stderr, flush=True)

    with copy_of_course() as course:
        lesson = course.lessons[0]
        names = sample_class.build(course, lesson, students)
        notebooks = len(classroom.due_submissions(course, lesson))
        fresh = multiprocessing.get_context("spawn")
        for _ in range(rounds):
            shutil.rmtree(course.root / ".jaxercise", ignore_errors=True)
            add("Jaxercise, nothing kept", lambda: by_jaxercise(course))
            add("Jaxercise, programs of the model solutions kept",
                lambda: by_jaxercise(course, "--fresh"))  # fmt: skip
            add("Jaxercise, nothing changed", lambda: by_jaxercise(course))
            add("nbgrader", lambda: by_nbgrader(course, names))
            with ProcessPoolExecutor(default_workers(), fresh, _warm_up) as executor:
                at_the_limit(course, executor)
                add("limit", lambda: at_the_limit(course, executor))
    return rows


def scale(counts: list[int], exercise: str) -> list[tuple[str, Cost]]:
    """Grade more and more submissions of one exercise."""
    rows = []
    for count in counts:
        with copy_of_course() as course:
            lesson = course.lessons[0]
            sample_class.build(course, lesson, count)
            for path in course.root.glob(f"submitted/*/{lesson.name}/*.ipynb"):
                if path.stem != exercise:
                    path.unlink()
            rows.append((f"{count} submissions", measured(partial(by_jaxercise, course), count)))
            print(rows[-1][0], row(rows[-1][1]), file=sys.stderr, flush=True)
    return rows


def row(cost: Cost) -> str:
    return (
        f"{cost.a_minute:.1f} | {cost.wall_s:.1f} | {cost.cpu_s / cost.notebooks:.2f} | "
        f"{cost.peak_bytes / 2**30:.2f}"
    )


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--students", type=int, default=12)
    options.add_argument("--rounds", type=int, default=1)
    options.add_argument("--scale", type=int, nargs="+", help="numbers of submissions")
    options.add_argument("--exercise", default="3-generic-forward", help="for --scale")
    options.add_argument("--out", type=Path, help="also write the rows as JSON")
    given = options.parse_args()
    if given.scale:
        rows = scale(given.scale, given.exercise)
    else:
        rows = bench(given.students, given.rounds)
    where = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{time.strftime('%Y-%m-%d')}, {where}, {default_workers()} workers\n")
    print("| | notebooks a minute | seconds | CPU seconds a notebook | GiB at the peak |")
    print("|---|---|---|---|---|")
    for name, cost in rows:
        print(f"| {name} | {row(cost)} |")
    if given.out:
        given.out.write_text(json.dumps([[name, vars(cost)] for name, cost in rows]))


if __name__ == "__main__":
    main()
