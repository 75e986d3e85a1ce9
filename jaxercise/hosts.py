"""Starts, asks and ends the processes that hold a student's file and run its programs.

Both are forked from a warm process that has imported everything and started no JAX backend.
A process that hangs or dies costs the question that was asked; the next question starts another.
It must not know checks or points.
"""

import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Any

from jaxercise import exhibits
from jaxercise.student import Gone, Student

ANSWER_S = 20.0  # a question; the slowest right answer of the corpus needs 7 s on a busy machine
START_S = 30.0  # starting a process and running a student's file

# A program runs once or twice, so compiling it is the cost: a third less without optimisation
# (0.17 s to 0.11 s a program, jax 0.10.1; values agree to 1e-6).
QUICK_COMPILE = "--xla_backend_optimization_level=0"

PRIVATE = ".compiled"  # compiled programs of an answer, in its scratch folder
# JAX keeps what took long to compile; the many small operations of an eager call did not. And
# XLA's own caches would put the folder's name into the key of each program.
KEEP_ALL = {
    "jax_persistent_cache_enable_xla_caches": "none",
    "jax_persistent_cache_min_compile_time_secs": 0,
    "jax_persistent_cache_min_entry_size_bytes": 0,
}

WARM = [
    "jaxercise.hosts",
    "jaxercise.probe",
    "jaxercise.runner",
    "equinox",
    "flax.linen",
    "flax.nnx",
    "matplotlib.pyplot",
    "optax",
]


def warm_context() -> Any:
    """Multiprocessing context whose children start with JAX imported and no backend."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(WARM)
    return context


@contextmanager
def without_main() -> Iterator[None]:
    """Keep multiprocessing from importing this process's main module in the new process.

    Nothing there is needed, and importing the command line takes longer (1.1 s) than all else.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@dataclass
class Host:
    """One process that answers requests with ``target(connection, *args)``."""

    target: Callable
    args: tuple
    seconds: float = ANSWER_S
    process: Any = None
    connection: Any = None
    broken: str = ""  # why it could not be started; it is not tried again

    def ask(self, request: dict) -> dict:
        """Send a request and wait for its reply.

        Raises:
            Gone: no reply within ``seconds``, or the process ended.
        """
        if self.broken:
            raise Gone(self.broken)
        if self.process is None:
            self._start()
        try:
            self.connection.send_bytes(exhibits.encode(request))
            return self._receive(self.seconds)
        except Gone:
            self.close()
            raise
        except (EOFError, OSError) as error:
            self.close()
            raise Gone("ended the Python process before it returned") from error
        except exhibits.BadMessage as error:
            self.close()
            raise Gone("sent back something that is no result") from error

    def _start(self) -> None:
        context = warm_context()
        self.connection, theirs = context.Pipe()
        self.process = context.Process(
            target=serve, args=(theirs, self.target, *self.args), daemon=True
        )
        with without_main():
            self.process.start()
        theirs.close()
        try:
            self._receive(START_S)  # "ready"
        except (EOFError, OSError, Gone, exhibits.BadMessage) as error:
            slow = isinstance(error, Gone)
            what = "took too long" if slow else "ended Python"
            self.broken = f"could not be reached: the code around it {what}"
            self.close()
            raise Gone(self.broken) from error

    def _receive(self, seconds: float) -> dict:
        if not self.connection.poll(seconds):
            raise Gone(f"took too long (more than {seconds:.0f} s)")
        return exhibits.decode(self.connection.recv_bytes(exhibits.MAX_MESSAGE_BYTES))

    def close(self) -> None:
        """End the process and all that it started."""
        if self.process is None:
            return
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            self.process.kill()
        self.process.join()
        self.connection.close()
        self.process = self.connection = None


def serve(connection: Connection, target: Callable, *args: Any) -> None:
    """In the new process: own process group, no terminal, then ``target`` answers until the end."""
    os.setsid()
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    answer, encode = target(*args)
    connection.send_bytes(exhibits.encode("ready"))
    while True:
        try:
            request = exhibits.decode(connection.recv_bytes(exhibits.MAX_MESSAGE_BYTES))
        except EOFError:
            return
        connection.send_bytes(encode(answer(request)))


def host_file(path: str, folder: str) -> tuple[Callable, Callable]:
    """Run a student's file in ``folder`` and answer questions about the names it defines."""
    import jax

    from jaxercise import probe

    for name, value in {"jax_compilation_cache_dir": f"{folder}/{PRIVATE}", **KEEP_ALL}.items():
        jax.config.update(name, value)
    os.chdir(folder)
    sys.path.insert(0, folder)
    namespace: dict[str, Any] = {"__name__": "answer", "__file__": path}
    sys.modules["answer"] = type(sys)("answer")
    sys.modules["answer"].__dict__.update(namespace)
    namespace = sys.modules["answer"].__dict__
    setup_error = run_source(Path(path), namespace)
    return lambda request: probe.answer(request, namespace, setup_error), probe.encode_reply


def run_source(path: Path, namespace: dict[str, Any]) -> str:
    """Execute a file; return what stopped it, in words for the student, or an empty string."""
    try:
        source = path.read_bytes()
        exec(compile(source, path.name, "exec"), namespace)  # what this process is for
    except SyntaxError as error:
        return f"SyntaxError in line {error.lineno}: {error.msg}"
    except BaseException as error:
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == path.name
        ]
        where = f" in line {lines[-1]}" if lines else ""
        first = next(iter(str(error).splitlines()), "")[:200]
        return f"{type(error).__name__}{where}: {first}"
    return ""


def host_runner(cache: str) -> tuple[Callable, Callable]:
    """Answer questions about programs; compiled ones are kept in the folder ``cache``.

    No student's code runs here, so nothing but the compiler writes to that folder, and two
    students with the same function share its compiled form.
    """
    os.environ["XLA_FLAGS"] = QUICK_COMPILE
    import jax

    for name, value in {"jax_compilation_cache_dir": cache, **KEEP_ALL}.items():
        jax.config.update(name, value)
    from jaxercise import runner

    loaded: dict[bytes, Any] = {}
    return lambda request: runner.answer(request, loaded), exhibits.encode


@contextmanager
def student_of_file(
    path: Path, folder: Path, cache: Path, seconds: float = ANSWER_S
) -> Iterator[Student]:
    """A ``Student`` whose code is the file ``path``, run in ``folder`` with the public files."""
    probe = Host(host_file, (str(path), str(folder)), seconds)
    runner = Host(host_runner, (str(cache),), seconds)
    try:
        yield Student(probe.ask, runner.ask)
    finally:
        probe.close()
        runner.close()
