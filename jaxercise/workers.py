"""Does many independent jobs, here or on a cluster, and outlives the workers that die of them.

A job that was under way when a worker died is tried again, alone: a death then is of its own doing.
It gets one more try after the first of these.
This module must not know what the jobs are.
"""

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from concurrent.futures.process import ProcessPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from threading import Thread
from typing import Generic, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")

WORKER_BYTES = 2 * 2**30  # its warm process (0.4 GB) and a notebook that trains (0.9 GB), and some


class ClusterLost(Exception):
    """The scheduler of a cluster went away, and what was under way with it."""


@dataclass(frozen=True)
class Done(Generic[Job, Result]):
    """A job with its result, or with the error that it ended with in place of one."""

    job: Job
    result: Result | None
    error: Exception | None = None


@dataclass
class Crew:
    """Workers that are replaced when they die.

    Attributes:
        start: opens an executor; its end is the end of the workers.
        at_once: how many jobs it can do at the same time.
    """

    start: Callable[[], AbstractContextManager[Executor]]
    at_once: int
    executor: Executor | None = None
    running: ExitStack = field(default_factory=ExitStack)

    def each(self, work: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Done]:
        """Do ``work`` on every job; results come as each is done.

        No more jobs are handed out than there are workers, and one more, so that only those can
        have been at work when a worker dies.

        Raises:
            ClusterLost: what is left cannot be done.
        """
        waiting, suspects = deque(jobs), deque[Job]()
        died_alone = False  # the first of the suspects has
        while waiting or suspects:
            queue, many = (suspects, 1) if suspects else (waiting, self.at_once + 1)
            flying: dict[Future, Job] = {}
            try:
                while queue or flying:
                    while queue and len(flying) < many:
                        flying[self._submit(work, queue[0])] = queue[0]
                        queue.popleft()
                    for future in wait(flying, return_when=FIRST_COMPLETED).done:
                        yield _done(flying[future], future)  # it may raise, so it still flies
                        del flying[future]
                        died_alone = False
            except BrokenExecutor as error:
                self.end()
                at_work = list(flying.values()) or [queue.popleft()]  # no worker may have begun
                if queue is waiting:
                    suspects.extend(at_work)
                elif died_alone:
                    yield from (Done(job, None, error) for job in at_work)
                    died_alone = False
                else:
                    suspects.extendleft(at_work)
                    died_alone = True

    def in_order(self, work: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Done]:
        """As ``each``, with the results in the order of the jobs."""
        early: dict[int, Done] = {}
        due = 0
        for done in self.each(_Numbered(work), enumerate(jobs)):
            number, job = done.job
            early[number] = Done(job, done.result, done.error)
            while due in early:
                yield early.pop(due)
                due += 1

    def _submit(self, work: Callable[[Job], Result], job: Job) -> Future:
        if self.executor is None:
            self.executor = self.running.enter_context(self.start())
        return self.executor.submit(work, job)

    def end(self) -> None:
        """End the workers; the next job starts others."""
        self.executor = None
        self.running.close()


@dataclass(frozen=True)
class _Numbered(Generic[Job, Result]):
    """``work`` on a job that carries its number."""

    work: Callable[[Job], Result]

    def __call__(self, job: tuple[int, Job]) -> Result:
        return self.work(job[1])


def _done(job: Job, future: Future) -> Done:
    try:
        return Done(job, future.result())
    except BrokenExecutor:
        raise
    except CancelledError as error:  # we cancel nothing that is waited for; Dask does, at its end
        raise ClusterLost("the cluster's scheduler was lost") from error
    except Exception as error:  # of this job alone: the others go on
        return Done(job, None, error)


@contextmanager
def crew(at_once: int, scheduler: str = "") -> Iterator[Crew]:
    """Workers on this machine, or those of the Dask cluster whose scheduler is at an address.

    Jobs that have not begun are given up when the block is left early, by Ctrl-C for one.
    """
    made = _on_cluster(scheduler) if scheduler else Crew(lambda: local(at_once), at_once)
    with made.running:
        yield made


@contextmanager
def local(workers: int) -> Iterator[Executor]:
    """Fresh processes: a worker keeps its own warm process to fork student processes from."""
    fresh = multiprocessing.get_context("spawn")
    ends, end = fresh.Pipe(duplex=False)
    setup = ends, fresh.Barrier(workers)
    executor = ProcessPoolExecutor(workers, fresh, initializer=_begin, initargs=setup)
    try:
        for _ in range(workers):
            executor.submit(_nothing)
        yield executor
    except BaseException:
        end.send_bytes(b"now")  # what is under way is given up, too
        raise
    finally:
        executor.shutdown(cancel_futures=True)
        ends.close()
        end.close()


def _begin(ends: Connection, all_here: Barrier) -> None:
    """In a new worker: Ctrl-C is the business of the process that started it, and when that ends
    or says so, this one ends; else it would wait for ever.

    No worker takes a job before all are there, for a pool that starts one while another dies may
    wait for the new one for ever (CPython 3.11).
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        ends.poll(None)
        os._exit(1)  # its warm process and all rooms end with it

    Thread(target=watch, daemon=True).start()
    all_here.wait()


def _nothing() -> None:
    """A pool starts a worker for each job that finds none idle, so one of these for each."""


def _on_cluster(address: str) -> Crew:
    """A crew of a Dask cluster, which replaces workers itself."""
    from distributed import Client  # an extra, and slow to import

    @contextmanager
    def connected() -> Iterator[Executor]:
        with Client(address) as client, client.get_executor() as executor:
            yield executor

    with Client(address) as client:
        threads = sum(client.nthreads().values())
    return Crew(connected, max(1, threads))


def default_workers() -> int:
    """One a core, and no more than the memory is enough for."""
    cores = len(os.sched_getaffinity(0))
    return max(1, min(cores, free_bytes() // WORKER_BYTES))


def free_bytes() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return WORKER_BYTES
