"""The cores that this process may use, and linear algebra on one of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController


def cores() -> int:
    """The number of cores that this process may run on: fewer than the machine has under taskset or in a container."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


class _Held:
    """BLAS held to one thread as long as anyone wants it so.

    The limit is one for the whole process.  Were it lifted by whoever ends first, a fit that runs beside another one
    would end with more threads than it began with.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._holders = 0
        self._limit: Any = None

    def take(self) -> None:
        controller = _every_blas()  # outside the lock: it may import
        with self._lock:
            if not self._holders:
                self._limit = controller.limit(limits=1)
            self._holders += 1

    def release(self) -> None:
        with self._lock:
            self._holders -= 1
            if not self._holders:
                self._limit.restore_original_limits()


_held = _Held()


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra on one thread: more would add up in another order."""
    _held.take()
    try:
        yield
    finally:
        _held.release()


@cache
def _every_blas() -> ThreadpoolController:
    """The threads of every BLAS there is: SciPy has one of its own, which must be loaded to be seen."""
    import scipy.linalg  # noqa: F401

    return ThreadpoolController()
