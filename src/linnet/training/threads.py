"""Independent work on several threads: the results are the same for any number of them."""

from __future__ import annotations

import os
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from contextvars import copy_context
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from linnet.cores import as_here, cores

T = TypeVar("T")
R = TypeVar("R")


def in_threads(work: Callable[[T], R], items: Iterable[T], n_jobs: int) -> list[R]:
    """work(item) for each, on `n_jobs` threads (-1: one a core); independent work, so the results are the same."""
    items, threads = list(items), n_jobs
    if n_jobs <= 0 and len(items) > 1:  # counting the cores takes longer than a short piece of work
        threads = cores() + 1 + n_jobs
    threads = min(len(items), threads)
    if threads <= 1:
        return [work(item) for item in items]
    left, results = deque(range(len(items))), dict[int, R]()

    def take_turns() -> None:
        while True:
            try:
                at = left.popleft()
            except IndexError:
                return
            try:
                results[at] = work(items[at])
            except BaseException:
                left.clear()  # the others are not needed any more
                raise

    def elsewhere(held: AbstractContextManager[None]) -> None:
        with held:
            take_turns()

    # This thread works, too.  The context carries NumPy's settings about warnings to the others.
    with _waiting(threads - 1) as pool:
        others = [pool.submit(copy_context().run, elsewhere, as_here()) for _ in range(threads - 1)]
        try:
            take_turns()
        finally:
            wait(others)
    for other in others:
        other.result()
    return [results[at] for at in range(len(items))]


def beside(work: Callable[[], R]) -> Callable[[], R]:
    """Start some work on another thread; the result, or the error, is what calling the returned function gives."""

    def there(held: AbstractContextManager[None]) -> R:
        with held:
            return work()

    pool = _taken(1)
    future = pool.submit(copy_context().run, there, as_here())
    future.add_done_callback(lambda _: _idle[1].append(pool))
    return future.result


@contextmanager
def _waiting(threads: int) -> Iterator[ThreadPoolExecutor]:
    """A pool of this many threads, maybe idle ones: to start a thread takes as long as a short piece of work.

    Work within work takes another pool.
    """
    pool = _taken(threads)
    try:
        yield pool
    finally:
        _idle[threads].append(pool)


def _taken(threads: int) -> ThreadPoolExecutor:
    try:
        return _idle[threads].pop()
    except IndexError:
        return ThreadPoolExecutor(threads, thread_name_prefix="linnet-work")


_idle: defaultdict[int, list[ThreadPoolExecutor]] = defaultdict(list)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a child has no threads but its own


def over_parts(work: Callable[[int, int], R], rows: int, size: int) -> list[R]:
    """work(first, last) for parts of `size` rows, on a thread a core.

    The parts are the same for any number of threads: so is their sum, if it is taken in their order.
    """
    if 0 < rows <= size:
        return [work(0, rows)]
    parts = [(first, min(rows, first + size)) for first in range(0, rows, size)]
    return in_threads(lambda part: work(*part), parts, -1)


def added(parts: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The sum of these, in their order; the first one becomes it."""
    first, *others = parts
    for other in others:
        first += other
    return first
