"""Workers that die: each is replaced, and only the job that it died of is without a result."""

import os
import time
from concurrent.futures import BrokenExecutor, Executor
from functools import partial
from pathlib import Path

import pytest

from jaxercise.workers import Crew, crew, default_workers

FATAL, FATAL_ONCE, WRONG = 5, 7, 9


def square(folder: Path, n: int) -> int:
    mark = folder / f"tried-{n}"
    with mark.open("a") as file:
        file.write("x")
    if n == FATAL or (n == FATAL_ONCE and mark.read_text() == "x"):
        os._exit(3)
    if n == WRONG:
        raise ValueError("this job is wrong")
    return n * n


def test_a_worker_that_dies_is_replaced_and_its_job_tried_once_more(tmp_path):
    with crew(2) as at_work:
        done = {d.job: d for d in at_work.each(partial(square, tmp_path), range(12))}
    assert set(done) == set(range(12))
    for n in set(range(12)) - {FATAL, WRONG}:
        assert done[n].result == n * n
    assert isinstance(done[FATAL].error, BrokenExecutor)
    assert (tmp_path / f"tried-{FATAL}").read_text() in ("xx", "xxx")  # twice alone
    assert isinstance(done[WRONG].error, ValueError)


def test_a_job_that_ends_with_an_error_is_not_tried_again(tmp_path):
    with crew(2) as at_work:
        done = {d.job: d for d in at_work.each(partial(square, tmp_path), [1, WRONG, 2])}
    assert isinstance(done[WRONG].error, ValueError)
    assert [done[n].result for n in (1, 2)] == [1, 4]
    assert (tmp_path / f"tried-{WRONG}").read_text() == "x"


def test_results_in_the_order_of_the_jobs_and_no_job_lost(tmp_path):
    with crew(2) as at_work:
        done = list(at_work.in_order(partial(square, tmp_path), [4, FATAL, 8, 3, 2, WRONG, 1]))
    assert [d.job for d in done] == [4, FATAL, 8, 3, 2, WRONG, 1]
    assert [d.result for d in done] == [16, None, 64, 9, 4, None, 1]


def test_leaving_early_ends_the_workers_at_once(tmp_path):
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), crew(2) as at_work:
        for _ in at_work.each(time.sleep, [0.0, 600.0, 600.0, 600.0]):
            raise KeyboardInterrupt
    assert time.monotonic() - began < 60


class NeverStarts(Executor):
    def submit(self, fn, /, *args, **kwargs):
        raise BrokenExecutor("no worker could be started")


def test_workers_that_cannot_start_are_not_tried_for_ever():
    done = list(Crew(NeverStarts, 2).each(abs, [1, 2, 3]))
    assert [d.job for d in done] == [1, 2, 3]
    assert all(isinstance(d.error, BrokenExecutor) for d in done)


def test_there_is_always_one_worker(monkeypatch):
    monkeypatch.setattr("jaxercise.workers.free_bytes", lambda: 0)
    assert default_workers() == 1
