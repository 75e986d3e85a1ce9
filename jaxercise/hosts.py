"""Asks a student's file, and the programs traced from it, in rooms of their own.

A room that hangs or dies costs the question that was asked; the next question opens another. It
must not know checks or points.
"""

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxercise import exhibits, patience, wire
from jaxercise.compiled import QUICK_COMPILE, TWO_WAYS, USUAL_COMPILE, Compiled
from jaxercise.sandbox import Nursery, Room, nursery
from jaxercise.settings import Confinement
from jaxercise.student import NO_RESULT, Gone, Student

START_S = 30.0  # making a room and running a student's file in it

ENDED = {
    "memory": "used more memory than is allowed, and was stopped",
    "written": "wrote more to the disk than is allowed, and was stopped",
}


@dataclass
class Host:
    """One room that answers requests; a tenant of the kind ``target`` gets ``things`` first.

    Attributes:
        things: what the tenant is told at the start, with "files", their contents by name.
        again: what a second room is told in its place, if the first one fails at a question. It is
            asked the same once more, and all that follows.
        seconds: how long a question may take.
    """

    nursery: Nursery
    target: str
    things: Mapping[str, Any]
    again: Mapping[str, Any] | None
    seconds: float
    room: Room | None = None
    channel: socket.socket | None = None
    broken: str = ""  # why it could not be started; it is not tried again

    def ask(self, request: dict) -> dict:
        """Send a request and wait for its reply.

        Raises:
            Gone: no reply within ``seconds``, no sensible one, or the room ended.
        """
        try:
            return self._ask(request)
        except Gone:
            if self.again is None:
                raise
            self.things, self.again, self.broken = self.again, None, ""
            return self._ask(request)

    def _ask(self, request: dict) -> dict:
        if self.broken:
            raise Gone(self.broken)
        if self.room is None:
            self._start()
        assert self.room is not None and self.channel is not None
        try:
            return converse(self.room, self.channel, request, self.seconds)
        except Gone:
            self.close()
            raise

    def _start(self) -> None:
        self.channel, theirs = socket.socketpair()
        with theirs:
            self.room = self.nursery.open_room(self.target, [theirs])
        try:
            converse(self.room, self.channel, dict(self.things), START_S)  # "ready"
        except Gone as gone:
            self.broken = f"could not be reached: the code around it {gone.why}"
            self.close()
            raise Gone(self.broken) from gone

    def close(self) -> None:
        """End the room and all that it started."""
        if self.channel is not None:
            self.channel.close()
        if self.room is not None:
            self.room.end()
        self.room = self.channel = None


def furnish(channel: socket.socket, things: Mapping[str, Any]) -> None:
    """Tell a tenant what it needs, without waiting for it."""
    wire.send(channel, exhibits.encode(dict(things)), START_S)


def converse(room: Room, channel: socket.socket, request: dict, seconds: float) -> Any:
    """Send one request into a room and decode the reply.

    Args:
        seconds: how long to wait for it; longer on a machine that is too busy.

    Raises:
        Gone: there is none, or it is no message of ours; the room is of no more use.
    """
    first, more = patience.extension(room.keeper, seconds)
    try:
        wire.send(channel, exhibits.encode(request), seconds)
        return exhibits.decode(wire.receive(channel, exhibits.MAX_MESSAGE_BYTES, first, more))
    except wire.TooLate as error:
        raise Gone(f"took too long (more than {seconds:.0f} s)") from error
    except wire.TooLong as error:
        raise Gone("sent back more than can be taken") from error
    except (EOFError, OSError) as error:
        raise Gone(why_gone(room)) from error
    except exhibits.BadMessage as error:
        raise Gone(NO_RESULT) from error


def why_gone(room: Room) -> str:
    """Words for a room that ended while it was asked."""
    return ENDED.get(room.wait_ended(), "ended the Python process")


@contextmanager
def student_of_file(
    path: Path,
    confinement: Confinement,
    files: Mapping[str, bytes],
    compiled: Compiled = Compiled(),  # noqa: B008 (it is frozen)
) -> Iterator[Student]:
    """A ``Student`` whose code is the file ``path``.

    Args:
        path: read here; the room sees its content only.
        confinement: where it runs.
        files: the lesson's public files by name; the file runs among them.
        compiled: compiled programs to begin with.
    """
    warm, seconds = nursery(confinement), confinement.limits.answer_s
    everything = {**files, **compiled.answers}
    things = {"files": everything, "name": path.name, "source": path.read_bytes()}
    probe = Host(warm, "file", *both_ways(things), seconds)
    programs = programs_host(confinement, compiled)
    try:
        yield Student(probe.ask, programs.ask)
    finally:
        probe.close()
        programs.close()


def programs_host(confinement: Confinement, compiled: Compiled) -> Host:
    """A room for exported programs: no file of the lesson's and no student's Python."""
    ways = both_ways({"files": compiled.programs})
    return Host(nursery(confinement), "programs", *ways, confinement.limits.answer_s)


def both_ways(things: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """What a room is told that compiles in the quick way, and one in the usual way if they differ.

    Programs among the files, kept from before, are of use to the first only.
    """
    usual = {**things, "xla_flags": USUAL_COMPILE}
    return {**things, "xla_flags": QUICK_COMPILE}, usual if TWO_WAYS else None
