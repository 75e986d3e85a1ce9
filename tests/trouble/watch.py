"""Runs a command and says what it left running: ``watch.py REPORT COMMAND...``.

Whatever the command orphans becomes a child of this process, which lists it in REPORT, a JSON
file with the command's "pid" and, in the end, what is "left", and ends it.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
GRACE_S = 5.0  # for what is just being ended


def children() -> dict[int, str]:
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            if int(parent) == os.getpid() and state != "Z":
                found[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
    return found


def main(report: Path, command: list[str]) -> int:
    signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C is for the command
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with subprocess.Popen(command) as process:
        report.write_text(json.dumps({"pid": process.pid}))
        status = process.wait()
    deadline = time.monotonic() + GRACE_S
    while (left := children()) and time.monotonic() < deadline:
        time.sleep(0.1)
    report.write_text(json.dumps({"pid": process.pid, "left": list(left.values())}))
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
