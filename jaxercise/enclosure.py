"""Shuts the calling process in: namespaces, mounts, limits, no privileges, fewer system calls.

Linux only, by the C library, for what is forked from a warm process cannot be started through
bubblewrap. It must not know what will run inside.
"""

import ctypes
import os
import platform
import resource
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

RESERVED_BYTES = 128 * 2**20  # a core: stacks and buffers of its threads, mostly never touched
ROOM = Path("/room")  # the one writable place
HOME = ROOM / "home"

# from linux/sched.h, linux/mount.h, linux/prctl.h, linux/capability.h
NEW_NAMESPACES = 0x20000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 4, 22, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38
CAPABILITY_VERSION_3, LAST_CAPABILITY = 0x20080522, 40

_libc = ctypes.CDLL(None, use_errno=True)


def unshare() -> None:
    """Enter new user, mount, pid, network, ipc and uts namespaces; the next child is in them all.

    Raises:
        OSError: the system does not allow it.
    """
    user, group = os.getuid(), os.getgid()
    _check(_libc.unshare(NEW_NAMESPACES), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def furnish(written_bytes: int, kept: Sequence[Path], hidden: Path) -> None:
    """In the new namespaces: an own ``/proc`` and one writable place, limited in size.

    ``HOME``, ``/tmp`` and ``/dev/shm`` share that place; all else is read-only from before.

    Args:
        written_bytes: how much may be written there.
        kept: folders that stay where they are, also if that is below ``/tmp``.
        hidden: a folder whose content is covered.
    """
    opened = {
        folder: os.open(folder, os.O_PATH) for folder in kept if Path("/tmp") in folder.parents
    }
    _mount(None, "/", None, MS_REC | MS_PRIVATE)
    _mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    size = f"size={written_bytes},nr_inodes=20k,mode=755"
    _mount("tmpfs", str(ROOM), "tmpfs", MS_NOSUID | MS_NODEV, size)
    HOME.mkdir()
    for name, place in {"tmp": "/tmp", "shm": "/dev/shm"}.items():
        (ROOM / name).mkdir()
        _mount(str(ROOM / name), place, None, MS_BIND)
    for folder, descriptor in opened.items():
        folder.mkdir(parents=True)
        _mount(f"/proc/self/fd/{descriptor}", str(folder), None, MS_BIND | MS_REC)
        os.close(descriptor)
    if hidden.is_dir():
        _mount("tmpfs", str(hidden), "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV, "size=4k,mode=755")


def limit(memory_bytes: int, tasks: int, written_bytes: int) -> None:
    """Limits of the kernel for this process and what it starts; see ``settings.Limits``.

    ``RLIMIT_DATA`` and not ``RLIMIT_AS``: XLA maps far more address space than it uses. What is in
    memory is the keeper's to count; this makes one process's excess an error that it can see.
    """
    reserved = RESERVED_BYTES * (os.cpu_count() or 1)
    _rlimit(resource.RLIMIT_DATA, memory_bytes + reserved)
    _rlimit(resource.RLIMIT_NPROC, tasks)
    _rlimit(resource.RLIMIT_FSIZE, written_bytes)
    _rlimit(resource.RLIMIT_NOFILE, 1024)
    _rlimit(resource.RLIMIT_CORE, 0)


def _rlimit(which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (value, value))


def forbid_namespaces() -> None:
    """No namespaces in which somebody could be root again. Needs the capabilities of this one."""
    for name in ("user", "mnt", "pid", "net"):
        Path(f"/proc/sys/user/max_{name}_namespaces").write_text("0")


def drop_privileges() -> None:
    """Give up every capability, for this process and all that it starts, for ever."""
    _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    for capability in range(LAST_CAPABILITY + 1):
        _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails for those that are gone already
    header = struct.pack("<Ii", CAPABILITY_VERSION_3, 0)
    _check(_libc.capset(header, bytes(24)), "capset")


# System calls that can hold memory where no limit counts it (memfd_create, shmget), or that widen
# the kernel's surface for nothing that a notebook needs. Numbers by machine; others go without.
REFUSED_CALLS: Mapping[str, tuple[int, Mapping[str, int]]] = {
    "x86_64": (
        0xC000003E,
        {
            "shmget": 29,
            "add_key": 248,
            "request_key": 249,
            "keyctl": 250,
            "perf_event_open": 298,
            "memfd_create": 319,
            "bpf": 321,
            "userfaultfd": 323,
            "io_uring_setup": 425,
            "memfd_secret": 447,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "shmget": 194,
            "add_key": 217,
            "request_key": 218,
            "keyctl": 219,
            "perf_event_open": 241,
            "memfd_create": 279,
            "bpf": 280,
            "userfaultfd": 282,
            "io_uring_setup": 425,
            "memfd_secret": 447,
        },
    ),
}


def refuse_calls() -> None:
    """Let the calls of ``REFUSED_CALLS`` fail with EPERM from now on. Needs no_new_privs."""
    if platform.machine() not in REFUSED_CALLS:
        return
    architecture, calls = REFUSED_CALLS[platform.machine()]
    load, jump_if_equal, jump_if_at_least, give = 0x20, 0x15, 0x35, 0x06
    allow, refuse, kill = 0x7FFF0000, 0x00050000 | 1, 0x80000000
    rules = [(load, 0, 0, 4), (jump_if_equal, 1, 0, architecture), (give, 0, 0, kill)]
    rules += [(load, 0, 0, 0)]
    rules += [(jump_if_at_least, 0, 1, 0x40000000), (give, 0, 0, refuse)]  # x32's second numbers
    for number in calls.values():
        rules += [(jump_if_equal, 0, 1, number), (give, 0, 0, refuse)]
    rules += [(give, 0, 0, allow)]
    code = b"".join(struct.pack("<HBBI", *rule) for rule in rules)
    buffer = ctypes.create_string_buffer(code)
    program = struct.pack("<HxxxxxxQ", len(rules), ctypes.addressof(buffer))
    _check(_libc.prctl(PR_SET_SECCOMP, 2, program, 0, 0), "seccomp")


def become_reaper() -> None:
    """Orphans of this process's children come to it, where there is no pid namespace."""
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def hide_memory() -> None:
    """Other processes of the same user may not trace this one or read its memory."""
    _libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def _mount(
    source: str | None, target: str, kind: str | None, flags: int, data: str | None = None
) -> None:
    words = [None if word is None else word.encode() for word in (source, target, kind, data)]
    _check(
        _libc.mount(words[0], words[1], words[2], ctypes.c_ulong(flags), words[3]),
        f"mount {target}",
    )


def _check(status: int, what: str) -> None:
    if status != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
