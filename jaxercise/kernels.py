"""Runs a notebook's cells in a Jupyter kernel and leaves it open for the grader's questions.

It must not know checks or points. The kernel gets a folder with the lesson's public files, a
short environment and limits of time; it is killed when the last question has been answered.
"""

import math
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from jupyter_core.utils import run_sync
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from jaxercise import exhibits, hosts
from jaxercise.student import Gone, Student

CELL_S = 60.0  # a cell; the slowest of the lesson's notebooks takes 8 s on two busy cores
NOTEBOOK_S = 300.0  # all cells together
CONNECT_S = 30.0  # until the finished notebook answers its first question
MAX_RESTARTS = 3  # a notebook is run again after it hung in a question, but not for ever

KEPT_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TZ")


@dataclass
class KernelHost:
    """A finished notebook that answers questions; run again after a question hung or killed it."""

    notebook: NotebookNode
    folder: Path
    seconds: float = hosts.ANSWER_S
    client: Any = None
    connection: Connection | None = None
    started: int = 0
    trouble: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Run all cells; outputs and errors land in the notebook."""
        self.started += 1
        self.client = _client(self.notebook, self.folder)
        _start_kernel(self.client)
        self.trouble = _run_cells(self.client, self.notebook)

    def ask(self, request: dict) -> dict:
        """Send a request to the probe in the kernel and wait for its reply; see ``Host.ask``."""
        if self.connection is None:
            self._connect()
        assert self.connection is not None
        try:
            self.connection.send_bytes(exhibits.encode(request))
            if not self.connection.poll(self.seconds):
                raise Gone(f"took too long (more than {self.seconds:.0f} s)")
            return exhibits.decode(self.connection.recv_bytes(exhibits.MAX_MESSAGE_BYTES))
        except Gone:
            self.close()
            raise
        except (EOFError, OSError) as error:
            self.close()
            raise Gone("ended the Python process before it returned") from error
        except exhibits.BadMessage as error:
            self.close()
            raise Gone("sent back something that is no result") from error

    def _connect(self) -> None:
        if self.client is None:
            if self.started > MAX_RESTARTS:
                raise Gone("could not be reached: the notebook hung or crashed too often")
            self.run()
        address = str(self.folder / f".probe-{self.started}")
        with Listener(address, family="AF_UNIX") as listener:
            listener._listener._socket.settimeout(CONNECT_S)  # type: ignore[attr-defined]
            code = f"from jaxercise import kernels as _k; _k.answer_questions({address!r})"
            try:
                self.client.kc.execute(code, silent=True, store_history=False)
                self.connection = listener.accept()
            except (OSError, RuntimeError) as error:
                self.close()
                raise Gone("could not be reached: the notebook's kernel had stopped") from error

    def close(self) -> None:
        """End the kernel and all that it started."""
        if self.connection is not None:
            self.connection.close()
        if self.client is not None:
            _kill(self.client)
        self.client = self.connection = None


def answer_questions(address: str) -> None:
    """In the kernel, after the last cell: answer requests about the notebook's variables."""
    from multiprocessing.connection import Client

    from IPython import get_ipython

    from jaxercise import probe

    namespace = get_ipython().user_ns
    with Client(address, family="AF_UNIX") as connection:
        while True:
            try:
                request = exhibits.decode(connection.recv_bytes(exhibits.MAX_MESSAGE_BYTES))
            except (EOFError, OSError):
                return
            connection.send_bytes(probe.encode_reply(probe.answer(request, namespace)))


@contextmanager
def student_of_notebook(
    notebook: NotebookNode, folder: Path, cache: Path
) -> Iterator[tuple[Student, KernelHost]]:
    """Run a notebook in ``folder`` and give a ``Student`` for it; its outputs fill the notebook."""
    probe = KernelHost(notebook, folder)
    runner = hosts.Host(hosts.host_runner, (str(cache),))
    try:
        probe.run()
        yield Student(probe.ask, runner.ask), probe
    finally:
        probe.close()
        runner.close()


def _client(notebook: NotebookNode, folder: Path) -> NotebookClient:
    manager = AsyncKernelManager(
        transport="ipc",
        ip=str(folder / ".kernel"),
        connection_file=str(folder / ".kernel.json"),
        kernel_name="python3",
    )
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager._kernel_spec = KernelSpec(argv=command, display_name="Python", language="python")
    return NotebookClient(
        notebook,
        km=manager,
        allow_errors=True,
        timeout=CELL_S,
        interrupt_on_timeout=True,
        error_on_timeout={"ename": "TimeoutError", "evalue": TOO_LONG, "traceback": [TOO_LONG]},
        resources={"metadata": {"path": str(folder)}},
        coalesce_streams=True,
    )


TOO_LONG = f"This cell took longer than {CELL_S:.0f} s and was stopped."


def _start_kernel(client: NotebookClient) -> None:
    environment = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
    folder = client.resources["metadata"]["path"]
    environment |= {
        "HOME": folder,
        "IPYTHONDIR": f"{folder}/.ipython",
        "MPLCONFIGDIR": f"{folder}/.matplotlib",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "JAX_PLATFORMS": "cpu",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",  # XLA would fill the notebook with remarks on its cache
        "JAX_COMPILATION_CACHE_DIR": f"{folder}/{hosts.PRIVATE}",
        **{name.upper(): str(value) for name, value in hosts.KEEP_ALL.items()},
    }
    client.start_new_kernel(env=environment, cwd=folder, stderr=DEVNULL, stdout=DEVNULL)
    client.start_new_kernel_client()


def _run_cells(client: NotebookClient, notebook: NotebookNode) -> list[str]:
    """Run every code cell; returns what stopped the notebook as a whole, if anything did."""
    deadline = time.monotonic() + NOTEBOOK_S
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        left = deadline - time.monotonic()
        if left <= 0:
            return [f"the notebook took longer than {NOTEBOOK_S:.0f} s; the rest was not run"]
        client.timeout = math.ceil(min(CELL_S, left))
        try:
            client.execute_cell(cell, index)
        except DeadKernelError:
            return [f"the kernel died in cell {index + 1}; the rest was not run"]
        except CellTimeoutError:
            return [f"cell {index + 1} could not be stopped; the rest was not run"]
    return []


def _kill(client: NotebookClient) -> None:
    with suppress(OSError, RuntimeError):
        if client.kc is not None:
            client.kc.stop_channels()
        assert client.km is not None
        _wait(client.km.shutdown_kernel(now=True))


def _wait(awaitable: Any) -> Any:
    async def finish() -> Any:
        return await awaitable

    return run_sync(finish)()
