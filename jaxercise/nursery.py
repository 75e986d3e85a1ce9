"""The warm process: has imported everything, holds nothing, and forks a shut-in room on request.

It runs inside bubblewrap (or as a plain process, where that was asked for). It must not import
checks, courses or notebooks: what is forked from it belongs to students.

A room is two processes. The keeper (process 1 of the room) counts memory and ends the room when
it is over its limit or when its tenant ends; the tenant runs the student's code or a program.
"""

import contextlib
import io
import json
import os
import random
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jaxercise import enclosure

REQUEST_BYTES = 2**16
LOOK_S = 0.1  # how often a keeper counts; memory can be filled at some 2 GB a second
PAGE_BYTES = resource.getpagesize()
# Not matplotlib's inline backend: it looks for IPython when it is imported, and shows no picture if
# it finds none.
WARM = (
    "jaxercise.tenants",
    "IPython.core.completer",
    "equinox",
    "flax.linen",
    "flax.nnx",
    "ipykernel.ipkernel",
    "ipykernel.kernelapp",
    "jax.export",
    "jaxercise.probe",
    "jaxercise.runner",
    "matplotlib.pyplot",
    "optax",
    "scipy.stats",
)


def main(control: socket.socket) -> None:
    """Answer requests for rooms until the other end of ``control`` is closed."""
    for name in WARM:
        __import__(name)
    _draw_once()
    control.send(b'{"ready": true}')
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, REQUEST_BYTES, 8)
        if not message:
            return
        child = os.fork()
        if child == 0:
            _open_room(json.loads(message), descriptors, control)
        for descriptor in descriptors:
            os.close(descriptor)
        os.waitpid(child, 0)


def _draw_once() -> None:
    """A first picture finds fonts and loads what writes images; those of the forks need not."""
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    axes = figure.add_subplot(title="warm", xlabel="x", ylabel="y")
    axes.plot([1, 2], label="line")
    axes.legend()
    figure.savefig(io.BytesIO(), format="png")


def _open_room(request: dict, descriptors: list[int], control: socket.socket) -> None:
    """In a fork: start the room, send a handle of its keeper, and end."""
    try:
        _leave_user(request["user"])
        if request["enclosed"]:
            enclosure.unshare()
        keeper = os.fork()
        if keeper == 0:
            control.close()
            _keep(request, descriptors)
        socket.send_fds(control, [b'{"ready": true}'], [os.pidfd_open(keeper)])
    except OSError as error:
        control.send(json.dumps({"failed": str(error)}).encode())
    finally:
        os._exit(0)


def _leave_user(user: list[int] | None) -> None:
    if user is not None:
        os.setgroups([])
        os.setresgid(user[1], user[1], user[1])
        os.setresuid(user[0], user[0], user[0])


def _keep(request: dict, descriptors: list[int]) -> None:
    """The keeper: shut the room, start the tenant, and watch."""
    status, *channels = descriptors
    try:
        limits = request["limits"]
        os.setsid()
        if request["enclosed"]:
            kept = [Path(folder) for folder in request["kept"]]
            enclosure.furnish(limits["written_bytes"], kept, Path(__file__).parent)
            enclosure.limit(limits["memory_bytes"], limits["tasks"], limits["written_bytes"])
            enclosure.forbid_namespaces()
            enclosure.drop_privileges()
            enclosure.refuse_calls()
        else:
            enclosure.become_reaper()
            enclosure.limit(limits["memory_bytes"], limits["tasks"], limits["written_bytes"])
            enclosure.drop_privileges()
        signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
        tenant = os.fork()
        if tenant == 0:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
            os.close(status)
            _move_in(request, channels)
        enclosure.hide_memory()
        for channel in channels:
            os.close(channel)
        why = _watch(tenant, limits, request)
        os.write(status, json.dumps({"ended": why}).encode())
    except OSError as error:
        os.write(status, json.dumps({"ended": f"failed: {error}"}).encode())
    finally:
        _end_all()
        os._exit(0)


WATCHED = {signal.SIGCHLD, signal.SIGINT, signal.SIGTERM}


def _watch(tenant: int, limits: dict, request: dict) -> str:
    """Wait for the tenant's end; hand it interrupts; end the room when it holds too much."""
    while True:
        event = signal.sigtimedwait(WATCHED, LOOK_S)
        if event is not None and event.si_signo == signal.SIGINT:
            os.kill(tenant, signal.SIGINT)
        elif event is not None and event.si_signo == signal.SIGTERM and not request["enclosed"]:
            return "asked"  # in a namespace the grader kills; who asks there is the tenant
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                if ended == tenant:
                    return "itself"
        members = _members() if request["enclosed"] else _descendants(os.getpid())
        if _memory(members) > limits["memory_bytes"]:
            return "memory"
        if not request["enclosed"] and _written(request["home"]) > limits["written_bytes"]:
            return "written"


def _members() -> list[int]:
    """Every process of this pid namespace but the keeper."""
    return [int(name) for name in _listed("/proc") if name.isdigit() and name != "1"]


def _descendants(process: int) -> list[int]:
    found: list[int] = []
    for task in _listed(f"/proc/{process}/task"):
        with contextlib.suppress(OSError):
            children = Path(f"/proc/{process}/task/{task}/children").read_text()
            for child in map(int, children.split()):
                found += [child, *_descendants(child)]
    return found


def _listed(folder: str) -> list[str]:
    try:
        return [path.name for path in Path(folder).iterdir()]
    except OSError:
        return []


def _memory(processes: list[int]) -> int:
    """Bytes in memory of some processes. Pages that they share count once for each, unless it
    matters: telling them apart takes longer."""
    pages = 0
    for process in processes:
        with contextlib.suppress(OSError, IndexError):
            pages += int(Path(f"/proc/{process}/statm").read_text().split()[1])
    if len(processes) < 2:
        return pages * PAGE_BYTES
    return min(pages * PAGE_BYTES, _shared_once(processes))


def _shared_once(processes: list[int]) -> int:
    total = 0
    for process in processes:
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
    return total


def _written(home: str) -> int:
    """Bytes in a folder; only where no file system of its own limits them."""
    total = 0
    for folder, _, names in os.walk(home):
        for name in names:
            with contextlib.suppress(OSError):
                total += Path(folder, name).lstat().st_blocks * 512
    return total


def _end_all() -> None:
    """Kill all that the room started; in a pid namespace the kernel does it when this ends."""
    if os.getpid() == 1:
        return
    for _ in range(100):
        left = _descendants(os.getpid())
        if not left:
            return
        for process in left:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.01)


def _move_in(request: dict, channels: list[int]) -> None:
    """The tenant: an ordinary process with nothing of the nursery's, then the target."""
    import numpy as np

    from jaxercise import tenants

    random.seed()  # a fork has the nursery's state, the same for everyone
    np.random.seed(None)
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    home = request["home"]
    os.chdir(home)
    os.environ.update(request["environment"], HOME=home)
    target: Callable[..., Any] = tenants.TARGETS[request["target"]]
    code = 0
    try:
        target(home, *[socket.socket(fileno=descriptor) for descriptor in channels])
    except BaseException:
        code = 1
    finally:
        os._exit(code)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
