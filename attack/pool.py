"""Workers that take numbers in turn, make their cases and run them, until the time is over."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from attack.case import Case
from attack.detectors import Find
from attack.execute import Result, execute

Maker = Callable[[int], tuple[str, Case]]


@dataclass(frozen=True)
class Report:
    """What one case came to, as a worker sends it."""

    number: int
    subject: str
    finds: list[Find]
    processes: int
    killed: int
    seconds: float


def attacked(make: Maker, jobs: int, until: float, first: int = 0, stop: int | None = None) -> Iterator[Report]:
    """Reports of cases, as they end."""
    context = multiprocessing.get_context("fork")
    queue: Any = context.SimpleQueue()
    workers = [context.Process(target=_work, args=(make, queue, first + job, jobs, until, stop)) for job in range(jobs)]
    for worker in workers:
        worker.start()
    ended = 0
    try:
        while ended < jobs:
            report = queue.get()
            if report is None:
                ended += 1
            else:
                yield report
    finally:
        for worker in workers:
            if worker.is_alive():
                worker.terminate()
            worker.join()


def _work(make: Maker, queue: Any, number: int, step: int, until: float, stop: int | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.nice(5)
    while time.monotonic() < until and (stop is None or number < stop):
        began = time.monotonic()
        try:
            subject, case = make(number)
            result = execute(case)
        except Exception as error:  # a fault of the attack is one more thing to be mended
            subject, result = "attack", Result([Find("attack", f"attack {type(error).__name__}", repr(error)[:500])])
        killed = sum(outcome.signal == signal.SIGKILL in outcome.sent for _, outcome in result.outcomes)
        seconds = time.monotonic() - began
        queue.put(Report(number, subject, result.finds, len(result.outcomes), killed, seconds))
        number += step
    queue.put(None)
