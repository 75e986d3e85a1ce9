"""Starts a notebook's kernel in a room, by Jupyter's own extension point for that.

It must not know cells, checks or points.
"""

import logging
import socket
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import zmq.asyncio
from jupyter_client.asynchronous import AsyncKernelClient
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import KernelProvisionerBase
from nbformat import NotebookNode
from traitlets import Any as Anything

from jaxercise import hosts, wire
from jaxercise.outputs import CappedClient
from jaxercise.sandbox import Nursery, Room
from jaxercise.settings import Limits

START_S = 30.0  # until a kernel is ready; 1 s as a rule

QUIET = logging.getLogger("jaxercise.kernels")  # nbclient's remarks on timeouts: ours say more
QUIET.addHandler(logging.NullHandler())
QUIET.propagate = False

MAX_MESSAGE_BYTES = 160 * 2**20  # one output; a longer one breaks the connection
MAX_WAITING = 8  # outputs that wait to be read, each up to the above


class RoomProvisioner(KernelProvisionerBase):
    """Starts a kernel in a room; Jupyter's manager and nbclient do the rest."""

    nursery: Any = Anything()
    things: Any = Anything()  # what the room is furnished with, and the kernel's key
    folder: Any = Anything()  # where the sockets stand; the room gets them opened
    room: Room | None = None
    channel: socket.socket | None = None

    @property
    def has_process(self) -> bool:
        return self.room is not None

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        key = self.parent.session.key  # type: ignore[union-attr]
        ports = {f"{name}_port": number for number, name in enumerate(wire.KERNEL_SOCKETS, 1)}
        self.channel, theirs = socket.socketpair()
        with ExitStack() as ends:  # the room gets these; here they are closed, whatever happens
            given = [ends.enter_context(theirs)]
            for number in ports.values():
                listener = ends.enter_context(socket.socket(socket.AF_UNIX))
                listener.bind(f"{self.folder}/kernel-{number}")
                listener.listen()
                given.append(listener)
            self.room = self.nursery.open_room("kernel", given)
        hosts.furnish(self.channel, {**self.things, "key": key})
        return {
            "transport": "ipc",
            "ip": f"{self.folder}/kernel",
            "key": key,
            "signature_scheme": "hmac-sha256",
            "hb_port": len(ports) + 1,  # nobody is there: the room's handle tells of its life
            **ports,
        }

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        return {**kwargs, "cmd": []}

    async def poll(self) -> int | None:
        return None if self.room is not None and self.room.alive() else 0

    async def wait(self) -> int | None:
        if self.room is not None:
            self.room.end()
        return 0

    async def send_signal(self, signum: int) -> None:
        if self.room is not None:
            self.room.interrupt()

    async def kill(self, restart: bool = False) -> None:
        if self.room is not None:
            self.room.end()

    async def terminate(self, restart: bool = False) -> None:
        await self.kill(restart)

    async def cleanup(self, restart: bool = False) -> None:
        if self.channel is not None:
            self.channel.close()


class RoomClient(AsyncKernelClient):
    """Jupyter's client without heartbeats: nobody answers them, and one that was sent and not
    taken holds up the end of each notebook for a second."""

    def start_channels(self, *args: Any, **kwargs: Any) -> None:
        super().start_channels(*args, **{**kwargs, "hb": False})


def client_of(
    notebook: NotebookNode,
    nursery: Nursery,
    things: Mapping[str, Any],
    folder: str,
    limits: Limits,
) -> tuple[CappedClient, RoomProvisioner]:
    """A client that will run a notebook's cells in a room, and what will start that room.

    Args:
        notebook: its outputs are filled.
        nursery: gives the room.
        things: what the room is furnished with: "files", by name, and "xla_flags".
        folder: where the kernel's sockets will stand.
        limits: for a cell, and for output.
    """
    context = zmq.asyncio.Context()
    context.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE_BYTES)
    context.setsockopt(zmq.RCVHWM, MAX_WAITING)
    manager = AsyncKernelManager(transport="ipc", context=context)
    manager._kernel_spec = KernelSpec(argv=[], display_name="Python", language="python")
    manager.client_factory = RoomClient
    manager.provisioner = RoomProvisioner(
        kernel_id="room",
        kernel_spec=manager._kernel_spec,
        parent=manager,
        nursery=nursery,
        things=things,
        folder=folder,
    )
    client = CappedClient(
        notebook,
        km=manager,
        output_bytes=limits.output_bytes,
        allow_errors=True,
        timeout=limits.cell_s,
        startup_timeout=START_S,
        interrupt_on_timeout=True,
        error_on_timeout={"ename": "TimeoutError", "evalue": "", "traceback": []},
    )
    client.log = manager.log = QUIET
    return client, manager.provisioner
