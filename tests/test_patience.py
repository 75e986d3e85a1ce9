"""How long a room is waited for: by the processor time that it had, where the machine is busy."""

import os
import socket
import subprocess
import sys

import pytest

from jaxercise import patience, wire

LIMIT_S = 20.0


@pytest.fixture
def told(monkeypatch):
    """Sets what has passed and what was worked since the question, and how busy the machine is."""

    def tell(waited: float, worked: float, load: float = 99.0) -> float:
        clock = iter([100.0, 100.0 + patience.AT_ONCE_S, 100.0 + waited])
        had = iter([7.0, 7.0 + worked])
        with monkeypatch.context() as patched:
            patched.setattr(patience.time, "monotonic", lambda: next(clock))
            patched.setattr(patience, "cpu_seconds", lambda keeper: next(had))
            patched.setattr(patience.os, "getloadavg", lambda: (load, load, load))
            first, more = patience.extension(0, LIMIT_S)
            assert first + more() == LIMIT_S  # whatever the machine does, that much
            return more()

    return tell


def test_what_comes_at_once_is_not_measured(monkeypatch):
    monkeypatch.setattr(patience, "cpu_seconds", lambda keeper: 1 / 0)
    assert patience.extension(0, LIMIT_S)[0] == patience.AT_ONCE_S


def test_who_was_kept_from_working_gets_the_rest(told):
    assert told(20.0, 5.0) == 15.0
    assert told(35.0, 19.9) == patience.STEP_S


def test_who_worked_all_the_time_gets_nothing(told):
    assert told(20.0, 20.0) == 0.0
    assert told(20.0, 39.0) == 0.0  # on two cores


def test_who_sleeps_or_hangs_gets_nothing(told):
    assert told(20.0, 0.1) == 0.0
    assert told(60.0, 1.2) == 0.0


def test_nobody_gets_more_on_a_machine_that_is_not_busy(told):
    assert told(20.0, 5.0, load=0.5) == 0.0


def test_there_is_an_end(told):
    assert told(79.0, 8.0) == 1.0
    assert told(80.0, 8.0) <= 0.0


def test_a_reply_that_comes_in_the_time_that_was_added_is_read_whole():
    mine, theirs = socket.socketpair()
    added = iter([60.0, 0.0])
    with mine, theirs:
        wire.send(theirs, b"late")
        assert wire.receive(mine, 100, 0.0, lambda: next(added)) == b"late"
        with pytest.raises(wire.TooLate):
            wire.receive(mine, 100, 0.0, lambda: next(added))


BUSY = """
import os, sys, time
while time.process_time() < 0.5:
    pass
if len(sys.argv) < 2:
    os.spawnv(os.P_WAIT, sys.executable, [sys.executable, __file__, "again"])
    print("done", flush=True)
    sys.stdin.read()
"""


def test_processor_time_is_that_of_all_processes_the_ended_ones_too(tmp_path):
    script = tmp_path / "busy.py"
    script.write_text(BUSY)
    with subprocess.Popen(
        [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        handle = os.pidfd_open(process.pid)
        try:
            process.stdout.readline()
            assert 0.9 < patience.cpu_seconds(handle) < 2.0
        finally:
            os.close(handle)
            process.stdin.close()
    assert patience.cpu_seconds(handle) == 0.0
