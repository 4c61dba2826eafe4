"""The cores that this process may use, and linear algebra on one of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from threading import Lock, local
from typing import Any, NamedTuple

from threadpoolctl import ThreadpoolController


def cores() -> int:
    """The number of cores that this process may run on: fewer than the machine has under taskset or in a container."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


class _Held:
    """BLAS held to one thread as long as anyone wants it so.

    Most libraries have one number of threads for the whole process.  It is set by the first who asks and restored by
    the last: were it restored by whoever ends first, a fit that runs beside another would go on with more threads than
    it began with.  With OpenMP every thread has a number of its own.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._holders = 0
        self._before: list[int] = []
        self._here = local()

    def take(self) -> None:
        libraries = _every_blas()  # outside the lock: it may import
        depth: int = getattr(self._here, "depth", 0)
        if not depth:
            with self._lock:
                if not self._holders:
                    self._before = _set(libraries.shared, [1] * len(libraries.shared))
                self._holders += 1
            self._here.before = _set(libraries.by_thread, [1] * len(libraries.by_thread))
        self._here.depth = depth + 1

    def release(self) -> None:
        libraries = _every_blas()
        self._here.depth -= 1
        if self._here.depth:
            return
        _set(libraries.by_thread, self._here.before)
        with self._lock:
            self._holders -= 1
            if not self._holders:
                _set(libraries.shared, self._before)

    @property
    def here(self) -> bool:
        return getattr(self._here, "depth", 0) > 0


_held = _Held()


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra on one thread: more would add up in another order."""
    _held.take()
    try:
        yield
    finally:
        _held.release()


def as_here() -> AbstractContextManager[None]:
    """For another thread that works for this one: linear algebra on one thread there, if it is so here."""
    return one_thread() if _held.here else nullcontext()


class _Libraries(NamedTuple):
    """Those with one number of threads for all, and those with a number for each thread that calls."""

    shared: list[Any]
    by_thread: list[Any]


def _set(libraries: list[Any], numbers: list[int]) -> list[int]:
    """Set the number of threads of each, and return what they were."""
    before = [library.get_num_threads() for library in libraries]
    for library, number in zip(libraries, numbers, strict=True):
        # newer versions of threadpoolctl let only the thread that was first set a number, unless it gives way
        give_way = getattr(library, "clear_controlling_thread", _nothing)
        give_way(force=True)
        library.set_num_threads(number)
        give_way(force=True)
    return before


def _nothing(*, force: bool) -> None:
    """In older versions any thread may."""


@cache
def _every_blas() -> _Libraries:
    """Every BLAS there is: SciPy has one of its own, which must be loaded to be seen."""
    import scipy.linalg  # noqa: F401

    found = [each for each in ThreadpoolController().lib_controllers if each.user_api == "blas"]
    by_thread = [each for each in found if getattr(each, "threading_layer", "") == "openmp"]
    return _Libraries([each for each in found if each not in by_thread], by_thread)
