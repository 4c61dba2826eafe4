"""Work on several threads, in parts that do not depend on how many there are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_threads(work: Callable[[T], R], items: Iterable[T], n_jobs: int) -> list[R]:
    """work(item) for each, on so many threads (-1: one a core); independent work, so the results are the same."""
    items = list(items)
    threads = min(len(items), n_jobs if n_jobs > 0 else (os.cpu_count() or 1) + 1 + n_jobs)
    if threads <= 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, items))


def over_parts(work: Callable[[int, int], R], rows: int, size: int) -> list[R]:
    """work(first, last) for parts of so many rows, on a thread a core.

    The parts are the same for any number of threads: so is their sum, if it is taken in their order.
    """
    parts = [(first, min(rows, first + size)) for first in range(0, rows, size)]
    return in_threads(lambda part: work(*part), parts, -1)
