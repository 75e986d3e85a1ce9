"""Starts the warm process inside bubblewrap and asks it for rooms; ends rooms and all in them.

It must not know what runs in a room, nor checks or points.
"""

import atexit
import contextlib
import functools
import json
import os
import pwd
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jaxercise import enclosure
from jaxercise.settings import Confinement

START_S = 60.0  # until the warm process has imported everything; 3 to 10 s as a rule
ROOM_S = 20.0  # until a room is made; 20 ms as a rule
GONE_S = 10.0  # until a room that was ended is empty

ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "USER": "student",
    "MPLCONFIGDIR": "/tmp/matplotlib",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "JAX_PLATFORMS": "cpu",
    "NBGRADER_EXECUTION": "autograde",  # as nbgrader says; a lesson's visible checks are left out
    "PYTHONDONTWRITEBYTECODE": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",  # XLA would fill a notebook with remarks on its cache
}


class NoSandbox(Exception):
    """Submissions cannot be shut in here; the message says why and what to do."""


@dataclass
class Room:
    """A running room, by a handle of its keeper and the keeper's last words."""

    keeper: int  # pidfd
    status: socket.socket
    home: Path | None = None  # a folder of ours to delete, where the room has no file system

    def alive(self) -> bool:
        return self.keeper >= 0 and not select.select([self.keeper], [], [], 0)[0]

    def interrupt(self) -> None:
        self._signal(signal.SIGINT)

    def ended(self) -> str:
        """Why the room ended: "itself", "memory", "written" or "failed: ..."; "" while it lives."""
        if self.alive():
            return ""
        with contextlib.suppress(OSError, ValueError):
            self.status.settimeout(0)
            return json.loads(self.status.recv(4096) or b'{"ended": "itself"}')["ended"]
        return "itself"

    def wait_ended(self, seconds: float = 1.0) -> str:
        """``ended``, after waiting a moment for a room that has just closed its connection."""
        select.select([self.keeper], [], [], seconds)
        return self.ended()

    def end(self) -> None:
        """Kill everything in the room and wait until it is gone."""
        if self.keeper < 0:
            return
        if self.home is None:  # the keeper is process 1 of its namespace: all end with it
            self._signal(signal.SIGKILL)
        else:
            self._signal(signal.SIGTERM)
            if not select.select([self.keeper], [], [], GONE_S / 2)[0]:
                self._signal(signal.SIGKILL)
        select.select([self.keeper], [], [], GONE_S)
        os.close(self.keeper)
        self.keeper = -1
        self.status.close()
        if self.home is not None:
            shutil.rmtree(self.home, ignore_errors=True)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.keeper, number)


@dataclass
class Nursery:
    """The warm process; started when the first room is asked for, and again if it is gone."""

    confinement: Confinement
    process: subprocess.Popen | None = None
    control: socket.socket | None = None
    rooms: list[Room] = field(default_factory=list)

    def open_room(self, target: str, channels: Sequence[socket.socket]) -> Room:
        """Start a room whose tenant is ``tenants.TARGETS[target]`` with the given sockets.

        Raises:
            NoSandbox: it could not be started.
        """
        if self.process is None or self.process.poll() is not None:
            self._start()
        enclosed = self.confinement.kind == "bubblewrap"
        home = None if enclosed else Path(tempfile.mkdtemp(prefix="jaxercise-"))
        user = None if enclosed else other_user()
        if home is not None and user is not None:
            os.chown(home, *user)
        limits = self.confinement.limits
        request = {
            "target": target,
            "enclosed": enclosed,
            "user": user,
            "home": str(home or enclosure.HOME),
            "kept": [str(folder) for folder in environment_folders()],
            "environment": {},
            "limits": {
                "memory_bytes": limits.memory_bytes,
                "tasks": limits.tasks,
                "written_bytes": limits.written_bytes,
            },
        }
        ours, theirs = socket.socketpair()
        assert self.control is not None
        with theirs:
            descriptors = [theirs.fileno(), *(channel.fileno() for channel in channels)]
            socket.send_fds(self.control, [json.dumps(request).encode()], descriptors)
        reply, keepers = self._reply(ROOM_S)
        if "failed" in reply or not keepers:
            raise NoSandbox(f"A room could not be made: {reply.get('failed', 'no answer')}.")
        room = Room(keepers[0], ours, home)
        self.rooms = [r for r in self.rooms if r.keeper >= 0] + [room]
        return room

    def _start(self) -> None:
        self.close()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        inside = [sys.executable, "-P", "-m", "jaxercise.nursery", str(theirs.fileno())]
        command = inside
        environment = dict(ENVIRONMENT)
        if self.confinement.kind == "bubblewrap":
            command = bubblewrap(inside)
        else:
            environment["MPLCONFIGDIR"] = tempfile.gettempdir() + "/jaxercise-matplotlib"
        with theirs:
            self.process = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                env=environment,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        self.control = ours
        self._reply(START_S)

    def _reply(self, seconds: float) -> tuple[dict, list[int]]:
        assert self.control is not None and self.process is not None
        if not select.select([self.control], [], [], seconds)[0]:
            self.close()
            raise NoSandbox(f"The sandbox did not answer within {seconds:.0f} s.")
        message, descriptors, _, _ = socket.recv_fds(self.control, 4096, 1)
        if not message:
            assert self.process.stderr is not None
            said = self.process.stderr.read().decode(errors="replace").strip()
            self.close()
            raise NoSandbox(explain(said))
        return json.loads(message), descriptors

    def close(self) -> None:
        """End the warm process and every room that came from it."""
        for room in self.rooms:
            room.end()
        self.rooms = []
        if self.control is not None:
            self.control.close()
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            assert self.process.stderr is not None
            self.process.stderr.close()
        self.process = self.control = None


@functools.cache
def nursery(confinement: Confinement) -> Nursery:
    """This process's warm process for a confinement: one, for it takes seconds to start."""
    made = Nursery(confinement)
    atexit.register(made.close)
    return made


def try_out(confinement: Confinement) -> None:
    """Open a room and end it.

    Raises:
        NoSandbox: submissions cannot be shut in here; the message says what to do.
    """
    warm = Nursery(confinement)
    try:
        warm.open_room("nothing", []).end()
    finally:
        warm.close()


def other_user() -> list[int] | None:
    """User and group for rooms when this process is root's: nobody's. None for other users, or
    where nobody cannot read the Python environment."""
    if os.getuid() != 0:
        return None
    nobody = pwd.getpwnam("nobody")
    readable = all(
        stat.S_IMODE(folder.stat().st_mode) & 0o005 == 0o005
        for prefix in environment_folders()
        for folder in (prefix, *prefix.parents)
    )
    return [nobody.pw_uid, nobody.pw_gid] if readable else None


def environment_folders() -> list[Path]:
    """The folders of the Python environment, this package included, none inside another."""
    wanted = {Path(sys.prefix), Path(sys.base_prefix), Path(__file__).parent}
    wanted |= {Path(p) for p in sys.path if "packages" in p and Path(p).is_dir()}
    wanted |= {Path(sys.executable).resolve().parents[1]}
    folders = sorted(folder.resolve() for folder in wanted)
    return [f for f in folders if not any(other in f.parents for other in folders)]


SYSTEM = ("/usr", "/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives")
LINKED = ("/bin", "/lib", "/lib32", "/lib64", "/sbin")  # into /usr, or folders of their own


def bubblewrap(inside: Sequence[str]) -> list[str]:
    """Command that runs ``inside`` where only the system and the Python environment are, read-only.

    Started by root, a first bubblewrap makes the environment readable for nobody, who starts the
    second: what is inside has never been root, and may make namespaces of its own.

    Raises:
        NoSandbox: there is no bubblewrap.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise NoSandbox(explain("bubblewrap is not installed"))
    folders = environment_folders()
    command = [program, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    for path in SYSTEM:
        command += ["--ro-bind-try", path, path]
    for link in map(Path, LINKED):
        if link.is_symlink():
            command += ["--symlink", str(link.readlink()), str(link)]
        elif link.is_dir():
            command += ["--ro-bind", str(link), str(link)]
    command += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", str(enclosure.ROOM)]
    command += _bound(folders)
    command += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--", *inside]
    return command if os.getuid() != 0 else [*_as_nobody(program, folders), *command]


def _as_nobody(program: str, folders: Sequence[Path]) -> list[str]:
    nobody = pwd.getpwnam("nobody")
    command = [program, "--die-with-parent", "--dev-bind", "/", "/"]
    for top in sorted({Path("/", folder.parts[1]) for folder in folders} - {Path("/usr")}):
        command += ["--tmpfs", str(top)]
    return [
        *command,
        *_bound(folders),
        "--",
        "setpriv",
        f"--reuid={nobody.pw_uid}",
        f"--regid={nobody.pw_gid}",
        "--clear-groups",
        "--",
    ]


def _bound(folders: Sequence[Path]) -> list[str]:
    """Mounts of folders in their own place; what is above them can be passed through by all."""
    above = {parent for folder in folders for parent in folder.parents} - {Path("/")}
    options = []
    for folder in sorted(above):
        if Path("/usr") not in (folder, *folder.parents):
            options += ["--dir", str(folder)]
    for folder in folders:
        if Path("/usr") not in folder.parents:
            options += ["--ro-bind", str(folder), str(folder)]
    return options


def explain(said: str) -> str:
    """Why there is no sandbox and what to do, from what bubblewrap said."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return (
        f"Submissions cannot be run in a sandbox here ({lines[-1] if lines else 'no reason'}).\n"
        "  not installed:            sudo apt-get install bubblewrap\n"
        "  Ubuntu 24.04 and newer:   sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0\n"
        "  in a container:           allow user namespaces (docker run --security-opt "
        "seccomp=unconfined)\n"
        "  none of these:            --sandbox process, which protects less: docs/trust.md says "
        "what"
    )
