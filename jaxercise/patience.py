"""How long to wait for a room on a busy machine: until it has had its time of the processor.

A limit of 20 s is meant for a machine that has a core to spare. Where other work takes the cores, a
right answer may not be done by then, and must not lose a mark for it. What sleeps or hangs uses no
processor and gets no more time; nor does anything on a machine that is not busy. It must not know
what a room does.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

# A right answer that takes 2 s alone took more than 20 s once, beside eight busy processes on two
# cores: a share of a quarter of a core. So four times the limit is enough for what is within it.
PATIENCE = 4.0
WORKS = 0.05  # of a core, at the least: what has had less does not wait for the processor
STEP_S = 0.5  # at the least, lest the end be approached in ever smaller steps
# Most answers come sooner. To read a room's processor time before each of the hundreds of questions
# took a twentieth of the time of grading; so what is worked in this first second is not counted.
AT_ONCE_S = 1.0
TICKS = os.sysconf("SC_CLK_TCK")


def extension(keeper: int, seconds: float) -> tuple[float, Callable[[], float]]:
    """How long to wait for a room at first, and a function that says how many seconds more it may
    have once that is over.

    Args:
        keeper: pidfd of the room's first process.
        seconds: the limit; counting begins now.

    Returns:
        Seconds, and the function; it gives 0 or less when there is no more.
    """
    began, had = time.monotonic(), -1.0
    first = min(AT_ONCE_S, seconds / 2)

    def more() -> float:
        nonlocal had
        waited = time.monotonic() - began
        if had < 0:
            had = cpu_seconds(keeper)
        if waited < seconds:
            return seconds - waited
        worked = cpu_seconds(keeper) - had
        busy = os.getloadavg()[0] > len(os.sched_getaffinity(0))
        if not busy or worked >= seconds or worked < WORKS * waited:
            return 0.0
        return min(max(seconds - worked, STEP_S), PATIENCE * seconds - waited)

    return first, more


def cpu_seconds(keeper: int) -> float:
    """Processor time that a room's processes have had, those that ended among them."""
    try:
        lines = Path(f"/proc/self/fdinfo/{keeper}").read_text().splitlines()
        first = next(int(line.split()[1]) for line in lines if line.startswith("Pid:"))
    except (OSError, StopIteration):
        return 0.0
    return sum(map(_ticks, _family(first))) / TICKS


def _family(process: int) -> list[int]:
    found = [process]
    for member in found:  # grows meanwhile
        try:
            tasks = list(Path(f"/proc/{member}/task").iterdir())
            found += [int(n) for task in tasks for n in (task / "children").read_text().split()]
        except (OSError, ValueError):
            continue  # it has ended
    return found


def _ticks(process: int) -> int:
    try:
        text = Path(f"/proc/{process}/stat").read_text()
        return sum(map(int, text.rpartition(")")[2].split()[11:15]))  # own, and of ended children
    except (OSError, ValueError):
        return 0
