"""What a student's code finds when it looks around, and what it can do to others: nothing.

Each attempt runs in a room as an answer does, and says what it got.
"""

import os
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from jaxercise import hosts, sandbox
from jaxercise.settings import Confinement
from jaxercise.student import AnswerError

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
X = np.ones(2, np.float32)

LOOKING = '''
import ctypes, os, resource, signal, socket, sys
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)

def said(value):
    return "got it" if value == 0 else os.strerror(ctypes.get_errno())

def read(path):
    return Path(path).read_bytes()[:2000].decode(errors="replace")

def listed(path):
    return sorted(os.listdir(path))

def written(path):
    Path(path).write_text("x")

def connected(family, address):
    s = socket.socket(family)
    s.settimeout(3)
    s.connect(tuple(address) if isinstance(address, list) else address)

def abstract(name):
    connected(socket.AF_UNIX, chr(0) + name)

def called(name, *args):
    """In a child of one thread, for a process of several may not change its namespaces."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(theirs, said(getattr(libc, name)(*args)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    return os.read(ours, 100).decode()

def system_call(number, *args):
    return said(min(0, libc.syscall(number, *args)))

def traced():
    return said(libc.ptrace(16, 1, 0, 0))

def killed(process, number):
    os.kill(process, number)

def processes():
    return sorted(int(p) for p in os.listdir("/proc") if p.isdigit())

def descriptors():
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink(f"/proc/self/fd/{name}"))
        except OSError:
            pass
    return sorted(set(f.split(":")[0] for f in found))

def environment():
    return sorted(os.environ)

def raised_limit(name):
    resource.setrlimit(getattr(resource, name), (resource.RLIM_INFINITY,) * 2)

def became(user):
    os.setresuid(user, user, user)

def whoami():
    status = Path("/proc/self/status").read_text()
    wanted = ("CapEff", "CapPrm", "CapBnd", "NoNewPrivs", "Seccomp:")
    lines = [l.split() for l in status.splitlines() if l.startswith(wanted)]
    return [os.getuid() != 0, *(int(words[1], 16) for words in lines)]

def imported(name):
    return repr(__import__(name))

def remembered(*lines):
    """Search all of this process's memory for lines given by their complements."""
    wanted, flip = [bytes(line) for line in lines], bytes(range(255, -1, -1))
    found = 0
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for entry in maps:
            area, rights = entry.split()[:2]
            low, high = (int(part, 16) for part in area.split("-"))
            if not rights.startswith("r") or high - low > 2**28:
                continue
            try:
                memory.seek(low)
                held = memory.read(high - low)
            except (OSError, ValueError, OverflowError):
                continue
            held = held.translate(flip)  # so that what is looked for stands nowhere itself
            found += sum(held.count(line) for line in wanted)
    return found

def pushed_into_terminal():
    import fcntl, termios
    with open("/dev/tty", "w") as tty:
        fcntl.ioctl(tty, termios.TIOCSTI, b"x")
'''


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    path = tmp_path_factory.mktemp("answer") / "answer.py"
    path.write_text(LOOKING)
    with hosts.student_of_file(path, Confinement(), {"mlp.py": b"public = 1"}) as student:
        yield student


def attempt(room, name, *args):
    """What the attempt returned, or the words of the error that it ended with."""
    reply = room.ask_probe({"do": "call", "name": name, "args": args, "kwargs": {}})
    return reply["text"] if "refused" in reply else reply["value"]


@pytest.mark.parametrize(
    "path",
    [
        ROOT / "tests" / "checks" / "test_dropout_keys.py",
        ROOT / "reference" / "dropout_keys.py",
        ROOT / "source" / "intro-to-jax" / "1-dropout-keys.ipynb",
        ROOT / "gradebook.db",
        ROOT / "submitted",
        ROOT / "README.md",
        Path("/etc/passwd"),
        Path("/etc/shadow"),
        Path.home() / ".profile",
        Path("/room/home/../../var/log"),
        Path("/sys/kernel"),
        Path("/sys/fs/cgroup"),
        Path("/run"),
        Path("/proc/1/root/etc/passwd"),
        Path("/proc/1/cwd/etc/passwd"),
        Path("/proc/1/environ"),
        Path("/proc/1/mem"),
        Path("/proc/kcore"),
        Path("/dev/mem"),
        Path("/dev/vda"),
        Path("/dev/sda"),
    ],
    ids=str,
)
def test_nothing_of_the_graders_can_be_read(room, path):
    assert "Error: " in attempt(room, "read", str(path))


def test_the_room_holds_the_public_files_and_no_more(room):
    assert set(attempt(room, "listed", ".")) <= {".compiled", "mlp.py"}
    assert attempt(room, "listed", "/room") == ["home", "shm", "tmp"]
    above = [p for p in ROOT.parents if p != Path("/")]
    for folder in [ROOT, *above, Path("/tmp")]:  # only what leads to the Python environment
        listed = attempt(room, "listed", str(folder))
        if isinstance(listed, list):
            environment = [str(f) for f in sandbox.environment_folders()]
            for name in listed:
                assert any(e.startswith(str(folder / name)) for e in environment), (folder, name)


def test_our_package_is_out_of_sight(room):
    assert "No module named 'jaxercise'" in attempt(room, "imported", "jaxercise")
    assert attempt(room, "listed", str(ROOT / "jaxercise")) == []


def test_only_the_rooms_own_processes_are_there(room):
    assert attempt(room, "processes") == [1, 2]


def test_no_descriptor_leads_out(room):
    allowed = {"socket", "/dev/null", "anon_inode", "/proc/2/fd", "pipe"}
    assert {d for d in attempt(room, "descriptors") if d.split("[")[0] not in allowed} == set()


def test_the_environment_tells_nothing(room):
    by_jax = {"TPU_SKIP_MDS_QUERY"}
    known = {*sandbox.ENVIRONMENT, *by_jax, "HOME", "LC_CTYPE", "PWD", "XLA_FLAGS"}
    assert set(attempt(room, "environment")) <= known


def test_nobody_with_no_capability_and_fewer_calls(room):
    is_no_root, inherited, effective, bounding, no_new, seccomp = attempt(room, "whoami")
    assert is_no_root and (inherited, effective, bounding) == (0, 0, 0)
    assert no_new == 1 and seccomp == 2


@pytest.mark.parametrize(
    "path",
    [
        "/usr/lib/x",
        "/x",
        "/etc/x",
        "/dev/x",
        "/proc/sys/kernel/hostname",
        "/proc/1/oom_score_adj",
        str(Path(np.__file__).parent / "x.py"),
        str(Path(os.__file__).parent / "sitecustomize.py"),
    ],
)
def test_nothing_outside_the_room_can_be_written(room, path):
    said = attempt(room, "written", path)
    assert said is not None and "Error: " in said


def test_the_network_is_not_there(room):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = list(server.getsockname())
        assert "OSError" in attempt(room, "connected", int(socket.AF_INET), address) or (
            "Network is unreachable" in attempt(room, "connected", int(socket.AF_INET), address)
        )
    assert "Error" in attempt(room, "connected", int(socket.AF_INET), ["192.0.2.1", 80])


def test_abstract_sockets_of_the_machine_are_not_there(room):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0jaxercise-test")
        server.listen()
        assert "ConnectionRefusedError" in attempt(room, "abstract", "jaxercise-test")


@pytest.mark.parametrize(
    ("what", "args"),
    [
        ("called", ("unshare", 0x10000000)),  # a user namespace, to be root in
        ("called", ("unshare", 0x20000)),
        ("called", ("setns", 0, 0)),
        ("called", ("mount", b"none", b"/room", b"tmpfs", 0, None)),
        ("called", ("umount2", b"/proc", 2)),
        ("called", ("chroot", b"/room")),
        ("called", ("pivot_root", b"/room", b"/room")),
        ("called", ("mknod", b"/tmp/disk", 0o60666, 0xFE00)),
        ("called", ("sethostname", b"mine", 4)),
        ("called", ("memfd_create", b"hidden", 0)),
        ("called", ("shmget", 0, 2**20, 0o1600)),
        ("traced", ()),
        ("system_call", (425, 8, 0)),  # io_uring_setup
        ("became", (0,)),
        ("raised_limit", ("RLIMIT_DATA",)),
        ("raised_limit", ("RLIMIT_NPROC",)),
        ("raised_limit", ("RLIMIT_FSIZE",)),
        ("pushed_into_terminal", ()),
    ],
    ids=lambda value: str(value)[:40],
)
def test_no_privilege_can_be_had(room, what, args):
    said = attempt(room, what, *args)
    refused = ("not permitted", "not allowed", "No space", "No such", "Bad file", "Invalid")
    assert any(words in said for words in refused), said


def test_the_keeper_cannot_be_killed(room):
    for number in (9, 19, 15):
        attempt(room, "killed", 1, number)
    assert attempt(room, "processes") == [1, 2]


def test_no_hidden_check_is_in_the_processs_memory(room):
    """Asked for by complements, so that the question itself does not put them there."""
    source = (ROOT / "tests" / "checks" / "test_generic_forward.py").read_text()
    lines = [line.strip() for line in source.splitlines() if len(line.strip()) > 40][::5]
    hidden = [[255 - b for b in line.encode()] for line in lines]
    assert attempt(room, "remembered", *hidden) == 0
    control = [[255 - b for b in b"so that what is looked for stands nowhere itself"]]
    assert attempt(room, "remembered", *control) > 0  # the search finds what is there


HOSTILE = """
import os, signal, socket, threading, time
from pathlib import Path

def lurk(name):
    Path("/tmp/mine").write_text(name)
    Path("/dev/shm/mine").write_text(name)
    server = socket.socket(socket.AF_UNIX)
    server.bind(chr(0) + "rendezvous")
    server.listen()
    globals()["server"] = server
    for number in range(5):
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.setsid()
            time.sleep(600)

def seek():
    found = [p.read_text() for p in (Path("/tmp/mine"), Path("/dev/shm/mine")) if p.exists()]
    try:
        socket.socket(socket.AF_UNIX).connect(chr(0) + "rendezvous")
        found.append("a socket")
    except OSError:
        pass
    found += [p for p in os.listdir("/proc") if p.isdigit() and int(p) > 2]
    return found

def strike():
    for process in range(1, 2000):
        try:
            os.kill(process, signal.SIGKILL) if process != os.getpid() else None
        except OSError:
            pass

def works(x):
    return x + 1
"""


def test_two_hostile_answers_cannot_find_each_other_or_spoil_a_third(student_of):
    lurker, seeker, honest = (student_of(HOSTILE) for _ in range(3))
    assert np.array_equal(honest.call("works", X), X + 1)
    lurker.call("lurk", "lurker")
    assert seeker.call("seek") == []
    with suppress(AnswerError):  # it may well hit itself
        seeker.call("strike")
    assert np.array_equal(honest.call("works", X), X + 1)
    assert "lurker" in lurker.call("seek")
    assert np.array_equal(student_of(HOSTILE).call("works", X), X + 1)  # the next one, too


@pytest.mark.parametrize("kind", ["bubblewrap", "process"])
def test_nothing_outlives_its_room(tmp_path, kind):
    """Children, their children, threads and sessions of their own end with it."""
    marker = f"jaxercise-test-{os.getpid()}-{kind}"
    path = tmp_path / "answer.py"
    path.write_text(
        "import os, subprocess, sys, threading, time\n"
        "def spread():\n"
        f"    sleeper = [sys.executable, '-c', 'import time; time.sleep(600)  # {marker}']\n"
        "    for _ in range(3):\n"
        "        subprocess.Popen(sleeper, start_new_session=True)\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        if os.fork() == 0:\n"
        "            subprocess.Popen(sleeper)\n"
        "        os._exit(0)\n"
        "    threading.Thread(target=time.sleep, args=(600,)).start()\n"
        "    time.sleep(0.5)\n"
    )
    with hosts.student_of_file(path, Confinement(kind), {}) as student:
        student.call("spread")
        assert len(running(marker)) == 4
    assert running(marker) == []


def running(marker: str) -> list[str]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                command = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if marker.encode() in command:
                found.append(folder.name)
    return found


def test_rooms_end_with_the_grader(tmp_path):
    """A grader that is killed leaves no warm process and no room behind."""
    code = (
        "import socket, time\n"
        "from jaxercise.sandbox import nursery\n"
        "from jaxercise.settings import Confinement\n"
        "from jaxercise import hosts\n"
        "ours, theirs = socket.socketpair()\n"
        "room = nursery(Confinement()).open_room('programs', [theirs])\n"
        "hosts.furnish(ours, {'files': {}})\n"
        "print(nursery(Confinement()).process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    grader = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert grader.stdout is not None
    warm = int(grader.stdout.readline())
    assert len(_in_session(warm)) >= 4  # bubblewrap, the warm process, a keeper, a tenant
    grader.kill()
    grader.wait()
    grader.stdout.close()
    deadline = time.monotonic() + 10
    while (left := _in_session(warm)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left == []


def _in_session(session: int) -> list[int]:
    """Processes of a session and all that came from them, by the parents' numbers."""
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                parents[int(folder.name)] = int(fields[1])
    found = [session] if session in parents else []
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found
