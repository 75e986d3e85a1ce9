"""What runs in a room: a student's file, a notebook's kernel, or exported programs.

Each answers the grader's questions over a socket. It must not know checks or points, and all
that it needs from the grader arrives over that socket.
"""

import os
import socket
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

import jax
import zmq
from ipykernel.kernelapp import IPKernelApp
from traitlets.config import Config

from jaxercise import exhibits, probe, runner, wire
from jaxercise.compiled import FOLDER, KEEP_ALL


def receive(channel: socket.socket) -> dict:
    return exhibits.decode(wire.receive(channel, exhibits.MAX_MESSAGE_BYTES))


def unpack(channel: socket.socket, home: str) -> dict:
    """Receive what the room is furnished with and write its files; returns the rest."""
    things = receive(channel)
    # read when the first operation starts the backend
    os.environ["XLA_FLAGS"] = things.pop("xla_flags")
    for name, content in things.pop("files").items():
        path = Path(home, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for name, value in {"jax_compilation_cache_dir": f"{home}/{FOLDER}", **KEEP_ALL}.items():
        jax.config.update(name, value)
    return things


def serve(
    channel: socket.socket, answer: Callable[[dict], Any], encode: Callable[[Any], bytes]
) -> None:
    """Say that all is ready, then answer until the other end is closed."""
    wire.send(channel, exhibits.encode("ready"))
    while True:
        try:
            request = receive(channel)
        except (EOFError, OSError):
            return
        reply = _compiled() if request["do"] == "compiled" else answer(request)
        wire.send(channel, encode(reply))


def _compiled() -> dict[str, bytes]:
    """What JAX has compiled here; asked of the model solution's rooms only."""
    return {path.name: path.read_bytes() for path in Path.home().glob(f"{FOLDER}/*-cache")}


def run_file(home: str, channel: socket.socket) -> None:
    """Run a student's file among the public files and answer questions about its names."""
    things = unpack(channel, home)
    hide_package()
    sys.path.insert(0, home)
    module = sys.modules["answer"] = ModuleType("answer")
    module.__file__ = f"{home}/{things['name']}"
    setup_error = run_source(things["source"], things["name"], module.__dict__)
    serve(
        channel,
        lambda request: probe.answer(request, module.__dict__, setup_error),
        probe.encode_reply,
    )


def run_source(source: bytes, name: str, namespace: dict[str, Any]) -> str:
    """Execute a file; return what stopped it, in words for the student, or an empty string."""
    try:
        exec(compile(source, name, "exec"), namespace)  # what this process is for
    except SyntaxError as error:
        return f"the code stopped at: SyntaxError in line {error.lineno}: {error.msg}"
    except BaseException as error:
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == name
        ]
        where = f" in line {lines[-1]}" if lines else ""
        first = next(iter(_text(error).splitlines()), "")[:200]
        return f"the code stopped at: {type(error).__name__}{where}: {first}"
    return ""


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:
        return ""


def run_programs(home: str, channel: socket.socket) -> None:
    """Answer questions about exported programs; no student's Python runs here."""
    unpack(channel, home)
    loaded: dict[bytes, runner.Loaded] = {}
    serve(channel, lambda request: runner.answer(request, loaded), exhibits.encode)


def run_kernel(home: str, channel: socket.socket, *listeners: socket.socket) -> None:
    """Be a notebook's kernel; after its last cell the grader begins to ask."""
    things = unpack(channel, home)
    hide_package()
    sys.path.insert(0, home)
    kernel = RoomKernel.instance(config=KERNEL, listeners=listeners, key=things["key"])
    kernel.initialize([])
    assert kernel.shell is not None
    namespace = kernel.shell.user_ns

    def answer_questions() -> None:
        begin = receive(channel)
        serve(
            channel,
            lambda request: probe.answer(request, namespace, begin["setup_error"]),
            probe.encode_reply,
        )

    Thread(target=answer_questions, daemon=True).start()
    kernel.start()


def hide_package() -> None:
    """Students' code finds nothing of ours to import; ``grade`` is for the instructor's kernel."""
    for name in [n for n in sys.modules if n == "jaxercise" or n.startswith("jaxercise.")]:
        del sys.modules[name]
    folder = str(Path(__file__).parents[1])
    sys.path[:] = [entry for entry in sys.path if entry != folder]
    sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in repr(f)]
    sys.modules.pop("__main__", None)
    sys.modules["__main__"] = ModuleType("__main__")


KERNEL = Config()
KERNEL.HistoryManager.hist_file = ":memory:"
KERNEL.IPKernelApp.capture_fd_output = False
KERNEL.InteractiveShell.colors = "nocolor"


class RoomKernel(IPKernelApp):
    """IPython's kernel on sockets that the grader made; it never sees where they are."""

    def __init__(self, listeners: tuple, key: bytes, **kwargs: Any):
        super().__init__(**kwargs)
        self.listeners, self.key = listeners, key

    def init_connection_file(self) -> None:
        self.transport, self.ip = "ipc", "room"
        self.session.key = self.key
        for number, name in enumerate(wire.KERNEL_SOCKETS, 1):
            setattr(self, f"{name}_port", number)

    def write_connection_file(self, **kwargs: Any) -> None: ...

    def init_heartbeat(self) -> None: ...

    def cleanup_connection_file(self) -> None: ...

    def _try_bind_socket(self, s: zmq.Socket, port: int) -> int:
        s.setsockopt(zmq.USE_FD, self.listeners[port - 1].fileno())
        s.bind(f"ipc://{self.ip}-{port}")
        return port

    def _apply_curve_client_options(self, socket: zmq.Socket) -> None:
        socket.reconnect_ivl = -1  # the debugger's socket: where it would connect is out of sight


TARGETS: dict[str, Callable[..., None]] = {
    "nothing": lambda home: None,
    "file": run_file,
    "kernel": run_kernel,
    "programs": run_programs,
}
