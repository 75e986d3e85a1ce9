"""Length-prefixed messages over a socket whose other end may be hostile.

Every read has a deadline and a cap, also when the other end sends half a message and stops. It
must not know what the messages say.
"""

import socket
import struct
import time
from collections.abc import Callable

HEADER = struct.Struct("<Q")
KERNEL_SOCKETS = ("shell", "iopub", "stdin", "control")  # a kernel's, in the order of their ports


class TooLate(Exception):
    """The other end did not send, or take, a whole message in time."""


class TooLong(Exception):
    """The other end announced a message above the cap."""


def send(channel: socket.socket, message: bytes, seconds: float | None = None) -> None:
    """Send one message.

    Raises:
        TooLate: the other end did not take it within ``seconds``.
        OSError: the other end is gone.
    """
    channel.settimeout(seconds)
    try:
        channel.sendall(HEADER.pack(len(message)))
        channel.sendall(message)
    except TimeoutError as error:
        raise TooLate from error


def receive(
    channel: socket.socket,
    cap_bytes: int,
    seconds: float | None = None,
    more: Callable[[], float] = lambda: 0.0,
) -> bytes:
    """Receive one whole message.

    Args:
        seconds: how long to wait; for ever, if there is no limit.
        more: called when they are over: how many seconds more.

    Raises:
        TooLate: it was not there whole within that time.
        TooLong: it would have more than ``cap_bytes``; nothing of it is read.
        EOFError: the other end is gone.
        OSError: the connection broke.
    """
    left = _countdown(seconds, more)
    (size,) = HEADER.unpack(_exactly(channel, HEADER.size, left))
    if size > cap_bytes:
        raise TooLong
    return bytes(_exactly(channel, size, left))


def _countdown(seconds: float | None, more: Callable[[], float]) -> Callable[[], float | None]:
    """Says how many seconds are left for all of a message; None if there is no limit."""
    deadline = None if seconds is None else time.monotonic() + seconds

    def left() -> float | None:
        nonlocal deadline
        if deadline is None:
            return None
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            remaining = more()
            deadline = time.monotonic() + remaining
        return remaining

    return left


def _exactly(channel: socket.socket, size: int, left: Callable[[], float | None]) -> bytearray:
    # the buffer grows with what arrives, for a size is only a claim
    data = bytearray()
    while len(data) < size:
        remaining = left()
        if remaining is not None and remaining <= 0:
            raise TooLate
        channel.settimeout(remaining)
        try:
            part = channel.recv(min(size - len(data), 2**20))
        except TimeoutError:
            continue  # the time left is looked at above
        if not part:
            raise EOFError
        data += part
    return data
