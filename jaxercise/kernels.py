"""Runs a notebook's cells in a Jupyter kernel in a room and leaves it open for questions.

It must not know checks or points. A cell that ends the kernel, or cannot be stopped, is left out
and the notebook is run again without it, so that the rest of it counts.
"""

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from queue import Empty
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from jupyter_core.utils import run_sync
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from jaxercise import hosts
from jaxercise.compiled import Compiled
from jaxercise.outputs import CappedClient, join_streams
from jaxercise.provisioner import client_of
from jaxercise.sandbox import Nursery, nursery
from jaxercise.settings import Confinement, Limits
from jaxercise.student import Gone, Student

CONNECT_S = 30.0  # until the finished notebook answers its first question
STOP_S = 5.0  # from an interrupt to the next answer; a compiled call cannot be interrupted
MAX_RESTARTS = 3  # a notebook is run again after it hung or died, but not for ever


@dataclass
class KernelHost:
    """A finished notebook that answers questions; run again after a question hung or killed it.

    Attributes:
        things: what its room is told, see ``hosts.both_ways``.
        again: what another room is told in its place, once, if that one hangs or dies.
    """

    notebook: NotebookNode
    nursery: Nursery
    things: Mapping[str, Any]
    again: Mapping[str, Any] | None
    limits: Limits
    client: Any = None
    provisioner: Any = None
    sockets: Any = None  # the folder of the kernel's sockets
    asked: bool = False
    started: int = 0
    left_out: dict[int, str] = field(default_factory=dict)  # cells that end or block the kernel
    trouble: tuple[str, ...] = ()

    def run(self) -> None:
        """Run all cells; outputs and errors land in the notebook."""
        while True:
            self._start()
            first_way = self.again is not None
            stopped = _run_cells(
                self.client, self.notebook, self.limits, self.left_out, to_its_end=not first_way
            )
            if stopped is not None and self._has_another_way():
                continue
            if stopped is None or stopped.cell is None:
                break
            self.left_out[stopped.cell] = self._why(stopped)
            self.close()
            if self.started > MAX_RESTARTS:
                break
        late = [stopped.why] if stopped is not None and stopped.cell is None else []
        out = [f"cell {n + 1} {why}; it was left out" for n, why in self.left_out.items()]
        self.trouble = (*out, *late)

    def _has_another_way(self) -> bool:
        """After something hung or died: whether all is to be tried once more, in another room."""
        if self.again is None:
            return False
        self.close()
        self.things, self.again, self.started = self.again, None, 0
        return True

    def _why(self, stopped: "Stopped") -> str:
        if stopped.why == DIED:
            return hosts.why_gone(self.provisioner.room)
        return stopped.why

    def _start(self) -> None:
        self.started += 1
        self.asked = False
        self.sockets = TemporaryDirectory(prefix="jaxercise-")
        self.client, self.provisioner = client_of(
            self.notebook, self.nursery, self.things, self.sockets.name, self.limits
        )
        self.client.start_new_kernel()
        self.client.start_new_kernel_client()

    def ask(self, request: dict) -> dict:
        """Send a request to the probe in the kernel and wait for its reply; see ``Host.ask``."""
        try:
            return self._ask(request)
        except Gone:
            if not self._has_another_way():
                raise
            return self._ask(request)

    def _ask(self, request: dict) -> dict:
        if self.client is None:
            if self.started > MAX_RESTARTS:
                raise Gone("could not be reached: the notebook hung or crashed too often")
            self.run()
        try:
            if self.client is None:
                raise Gone("could not be reached: the notebook's kernel had stopped")
            room, channel = self.provisioner.room, self.provisioner.channel
            if not self.asked:
                begin = {"setup_error": errors_of(self.notebook)}
                hosts.converse(room, channel, begin, CONNECT_S)
                self.asked = True
            return hosts.converse(room, channel, request, self.limits.answer_s)
        except Gone:
            self.close()
            raise

    def close(self) -> None:
        """End the kernel and all that it started."""
        if self.client is not None:
            with suppress(OSError, RuntimeError):
                if self.client.kc is not None:
                    self.client.kc.stop_channels()
                _wait(self.client.km.shutdown_kernel(now=True))
            if self.provisioner.room is not None:
                self.provisioner.room.end()
            self.client.km.context.destroy(linger=0)
            self.sockets.cleanup()
        self.client = self.provisioner = None


@contextmanager
def student_of_notebook(
    notebook: NotebookNode,
    confinement: Confinement,
    files: Mapping[str, bytes],
    compiled: Compiled = Compiled(),  # noqa: B008 (it is frozen)
) -> Iterator[tuple[Student, KernelHost]]:
    """Run a notebook among ``files`` and give a ``Student`` for it; outputs fill the notebook."""
    ways = hosts.both_ways({"files": {**files, **compiled.answers}})
    probe = KernelHost(notebook, nursery(confinement), *ways, confinement.limits)
    programs = hosts.programs_host(confinement, compiled)
    try:
        probe.run()
        yield Student(probe.ask, programs.ask), probe
    finally:
        probe.close()
        programs.close()


DIED = "died"


@dataclass(frozen=True)
class Stopped:
    """Why not all cells were run: ``cell`` is to blame, or None where time was up."""

    cell: int | None
    why: str


def _run_cells(
    client: CappedClient,
    notebook: NotebookNode,
    limits: Limits,
    left_out: Mapping[int, str],
    to_its_end: bool,
) -> Stopped | None:
    """Run every code cell but those left out; ``to_its_end``: also after one that took too long."""
    deadline = time.monotonic() + limits.notebook_s
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        if index in left_out:
            cell.outputs = [_error("LeftOut", f"This cell {left_out[index]}, so it was left out.")]
            continue
        left = deadline - time.monotonic()
        if left <= 0:
            why = f"the notebook took longer than {limits.notebook_s:.0f} s; the rest was not run"
            return Stopped(None, why)
        client.timeout = math.ceil(min(limits.cell_s, left))
        began = time.monotonic()
        try:
            client.execute_cell(cell, index)
            cell.outputs = join_streams(cell.outputs)
            if time.monotonic() - began >= client.timeout:
                cell.outputs.append(_error("TimeoutError", too_long(client.timeout)))
                if not to_its_end:
                    return Stopped(index, "took too long")
                if not _answers(client):
                    return Stopped(index, "could not be stopped")
        except DeadKernelError:
            return Stopped(index, DIED)
        except CellTimeoutError:
            return Stopped(index, "could not be stopped")
        except (KeyError, TypeError, ValueError, AttributeError, RuntimeError):
            return Stopped(index, "sent something that is no output")
    return None


def too_long(seconds: float) -> str:
    return f"This cell took longer than {seconds:.0f} s and was stopped."


def _answers(client: CappedClient) -> bool:
    """Whether the kernel is free again after an interrupt."""
    kernel: Any = client.kc
    asked, deadline = kernel.execute("", silent=True), time.monotonic() + STOP_S
    try:
        while True:
            left = max(0.0, deadline - time.monotonic())
            reply = _wait(kernel.get_shell_msg(timeout=left))
            if reply["parent_header"].get("msg_id") == asked:
                return True
    except (Empty, RuntimeError):
        return False


def _error(name: str, text: str) -> NotebookNode:
    return nbformat.v4.new_output("error", ename=name, evalue=text, traceback=[f"{name}: {text}"])


def errors_of(notebook: NotebookNode) -> str:
    """The errors that cells of answers and helpers ended with, in words for the student."""
    found = {}
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type != "code" or cell.metadata.get("nbgrader", {}).get("grade"):
            continue
        for output in cell.outputs:
            if output.output_type == "error" and output.ename != "NotImplementedError":
                first = next(iter(output.evalue.splitlines()), "")[:200]
                why = f"{output.ename}: {first}" if first else output.ename
                found[number] = f"cell {number} ended with {why}"  # the last error says why
    return "; ".join(list(found.values())[:3])


def _wait(awaitable: Any) -> Any:
    async def finish() -> Any:
        return await awaitable

    return run_sync(finish)()
