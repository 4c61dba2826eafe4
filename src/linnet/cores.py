"""The cores that this process may use, and linear algebra on one of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from importlib import import_module
from sys import modules
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
    it began with.  With OpenMP every thread has a number of its own.  A library that is loaded meanwhile is held, too.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._holders = 0
        self._before: dict[str, int] = {}
        self._here = local()

    def take(self) -> None:
        depth: int = getattr(self._here, "depth", 0)
        if not depth:
            self._here.before = {}
            with self._lock:
                self._holders += 1
        self._here.depth = depth + 1
        if not depth:
            self.hold_all()

    def hold_all(self) -> None:
        """Hold every library that is loaded by now, if this thread wants it so."""
        if self.here:
            libraries = _every_blas()
            with self._lock:
                _hold(libraries.shared, self._before)
            _hold(libraries.by_thread, self._here.before)

    def release(self) -> None:
        self._here.depth -= 1
        if self._here.depth:
            return
        libraries = _every_blas()
        _restore(libraries.by_thread, self._here.before)
        with self._lock:
            self._holders -= 1
            if not self._holders:
                _restore(libraries.shared, self._before)

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


def _hold(libraries: list[Any], before: dict[str, int]) -> None:
    """Hold those to one thread that are not yet, and note what their numbers were."""
    for library in libraries:
        if library.filepath not in before:
            before[library.filepath] = library.get_num_threads()
            if before[library.filepath] != 1:
                _set(library, 1)


def _restore(libraries: list[Any], before: dict[str, int]) -> None:
    for library in libraries:
        number = before.pop(library.filepath, 1)
        if number != 1:
            _set(library, number)


def _set(library: Any, number: int) -> None:
    # newer versions of threadpoolctl let only the thread that was first set a number, unless it gives way
    give_way = getattr(library, "clear_controlling_thread", _nothing)
    give_way(force=True)
    library.set_num_threads(number)
    give_way(force=True)


def _nothing(*, force: bool) -> None:
    """In older versions any thread may."""


def scipy(name: str) -> Any:
    """A module of SciPy, which takes longer to load than many a fit: so it is loaded where it is needed.

    It has a BLAS of its own, which is held to one thread where that of NumPy is.
    """
    module = import_module(f"scipy.{name}")
    import_module("scipy.linalg")  # that BLAS is a part of it
    _held.hold_all()
    return module


def _every_blas() -> _Libraries:
    """Every BLAS that is loaded."""
    return _blas("scipy.linalg" in modules)


@cache
def _blas(with_scipy: bool) -> _Libraries:  # noqa: ARG001
    found = [each for each in ThreadpoolController().lib_controllers if each.user_api == "blas"]
    by_thread = [each for each in found if getattr(each, "threading_layer", "") == "openmp"]
    return _Libraries([each for each in found if each not in by_thread], by_thread)
