"""What every training run ends in, and the threads it may use on the way."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from linnet.model import LinearModel
from linnet.training.certificate import ONLINE, Certificate
from linnet.training.history import Pass

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class Start:
    """Where a training may begin: a model, and of each of its problems the dual point, a slope a row and output, that
    a solver came to with it (None where it came to none)."""

    model: LinearModel
    slopes: tuple[NDArray[np.float64] | None, ...]


@dataclass(frozen=True)
class Trained:
    """The model, what happened on the way, whether the way came to its end, and what that end proves."""

    model: LinearModel
    history: list[Pass]
    converged: bool
    certificate: Certificate = ONLINE
    start: Start | None = field(default=None, repr=False)


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
