"""Trials in processes of their own, several at once; the results do not depend on how many.

A process is forked for every trial: it shares the rows that were read, its peak of memory is its own, and a contender
that ends it by a fault of compiled code, or by lack of memory, fails alone.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, Pipe, wait
from typing import NoReturn

from linnet.comparison.trials import Trial

# How often a run looks whether it is to stop, in seconds.
LOOK = 0.1
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
STATUS, CLEAR = "/proc/self/status", "/proc/self/clear_refs"


@dataclass(frozen=True)
class Task:
    """A trial to be run: what it is called if its process ends without a word, and the work."""

    contender: str
    fold: int
    work: Callable[[], Trial]


def run(tasks: Iterable[Task], jobs: int, stopped: Callable[[], bool]) -> Iterator[Trial]:
    """The trials as they end, at most `jobs` at once; when asked to stop, those under way are given up."""
    running: dict[Connection, tuple[int, Task]] = {}
    left = iter(tasks)
    try:
        while not stopped():
            while len(running) < jobs and (task := next(left, None)) is not None:
                ours, process = _started(task)
                running[ours] = process, task
            if not running:
                return
            for ended in wait(list(running), LOOK):
                assert isinstance(ended, Connection)
                process, task = running.pop(ended)
                yield _received(ended, process, task)
    finally:
        for ours, (process, _) in running.items():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            ours.close()


def _started(task: Task) -> tuple[Connection, int]:
    ours, theirs = Pipe(duplex=False)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    parent = os.getpid()
    with warnings.catch_warnings():
        # other threads of this process wait for work, hold no lock, and are not needed there
        warnings.simplefilter("ignore", DeprecationWarning)
        process = os.fork()
    if process == 0:
        _child(task, theirs, parent)
    theirs.close()
    return ours, process


def _child(task: Task, into: Connection, parent: int) -> NoReturn:
    """Run the trial, send it, and end without any of the parent's endings."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all: the parent ends its children
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
        if os.getppid() == parent:
            before = _memory("VmRSS", clear=True)
            trial = task.work()
            after = _memory("VmHWM")
            peak = None if before is None or after is None else max(0, after - before)
            into.send_bytes(pickle.dumps(replace(trial, peak_bytes=peak)))
    except BaseException as error:  # the parent is told, whatever it is
        with suppress(BaseException):
            into.send_bytes(pickle.dumps(Trial(task.contender, task.fold, {}, failed=_named(error))))
    finally:
        os._exit(0)


def _named(error: BaseException) -> str:
    return "out of memory" if isinstance(error, MemoryError) else f"{type(error).__name__}: {error}"[:500]


def _received(ours: Connection, process: int, task: Task) -> Trial:
    """What a process sent; that it failed, where it ended without sending anything."""
    trial = None
    with suppress(EOFError, OSError):
        trial = pickle.loads(ours.recv_bytes())
    ours.close()
    status = os.waitpid(process, 0)[1]
    if isinstance(trial, Trial):
        return trial
    number = os.waitstatus_to_exitcode(status)
    how = f"signal {-number}" if number < 0 else f"code {number}"
    more = " (out of memory?)" if number == -signal.SIGKILL else ""
    return Trial(task.contender, task.fold, {}, failed=f"its process ended with {how}{more}")


def _memory(field: str, *, clear: bool = False) -> int | None:
    """A figure of this process's memory in bytes, where the system has it; the peak is to be counted from now on."""
    try:
        if clear:
            with open(CLEAR, "w") as file:
                file.write("5")
        with open(STATUS) as file:
            lines = dict(line.split(":", 1) for line in file)
        return int(lines[field].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None
