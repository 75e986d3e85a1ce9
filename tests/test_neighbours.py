"""Two hostile answers at the same time can neither find each other nor spoil a third."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import numpy as np
import pytest

from jaxercise import hosts
from jaxercise.settings import Confinement, Limits

pytestmark = pytest.mark.slow

# Each leaves marks wherever it can write, listens where others could call, looks for the other's
# marks, calls it, and kills whoever it sees; meanwhile it uses processor and memory as it can.
HOSTILE = """
import os, signal, socket, threading, time
from pathlib import Path

PLACES = ["/tmp", "/dev/shm", "/var/tmp", "/run", "/room", "/room/home", os.getcwd(), "/"]
NAME = "jaxercise-rendezvous"

def addresses(whose):
    inet = ("127.0.0.1", 47100 + len(whose))
    return [(socket.AF_UNIX, chr(0) + NAME + whose), (socket.AF_INET, inet)]

def meet(mine, seconds):
    found, until = set(), time.monotonic() + seconds
    listeners = []
    for family, address in addresses(mine):
        try:
            s = socket.socket(family)
            s.bind(address)
            s.listen()
            listeners.append(s)
        except OSError:
            pass
    for place in PLACES:
        try:
            Path(place, NAME + mine).write_text(mine)
        except OSError:
            pass
    other = {"a": "bb", "bb": "a"}[mine]
    threading.Thread(target=burn, args=(until,), daemon=True).start()
    while time.monotonic() < until:
        for place in PLACES:
            if Path(place, NAME + other).exists():
                found.add("a file in " + place)
        for family, address in addresses(other):
            try:
                s = socket.socket(family)
                s.settimeout(0.2)
                s.connect(address)
                found.add("a socket")
            except OSError:
                pass
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) not in (1, os.getpid()):
                found.add("process " + name)
                try:
                    os.kill(int(name), signal.SIGKILL)
                except OSError:
                    pass
        time.sleep(0.05)
    return sorted(found)

def burn(until):
    while time.monotonic() < until:
        bytearray(20_000_000)
"""

HONEST = """
import jax.numpy as jnp

def double(x):
    return 2 * x
"""


def test_neighbours_neither_meet_nor_disturb_a_third(tmp_path):
    quick = Confinement(limits=Limits(answer_s=60))
    x = np.arange(4, dtype=np.float32)
    with ExitStack() as rooms, ThreadPoolExecutor(2) as threads:

        def enter(name: str, code: str):
            path = tmp_path / f"{name}.py"
            path.write_text(code)
            return rooms.enter_context(hosts.student_of_file(path, quick, {}))

        hostile = {"a": enter("a", HOSTILE), "bb": enter("bb", HOSTILE)}
        honest = enter("honest", HONEST)
        for student in (*hostile.values(), honest):  # one after the other: one nursery
            student.ask_probe({"do": "value", "name": "nothing"})
        meetings = [threads.submit(s.call, "meet", name, 6.0) for name, s in hostile.items()]
        time.sleep(1)
        for _ in range(5):
            assert np.array_equal(honest.call("double", x), 2 * x)
            assert np.array_equal(honest.function("double")(x), 2 * x)
        assert not any(meeting.done() for meeting in meetings)
        assert [meeting.result() for meeting in meetings] == [[], []]
