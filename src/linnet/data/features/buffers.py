"""Arrays that are used again for one block after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

T = TypeVar("T")

# What took more for one text is not kept for the next: that one is likely to be shorter.
MOST_BYTES = 1 << 26


class Buffers:
    """Arrays by name, each as large as was ever asked for.

    Memory new from the system is cleared page by page when it is first touched; for a block of text, that takes longer
    than to count its words.  Whoever asks for an array again gets the same memory: what was in it is lost.
    """

    def __init__(self) -> None:
        self._kept: dict[str, NDArray[Any]] = {}

    def array(self, name: str, size: int, dtype: DTypeLike) -> NDArray[Any]:
        """Room for so many, with anything in it."""
        kept = self._kept.get(name)
        if kept is None or len(kept) < size:
            kept = self._kept[name] = np.empty(size + size // 4, dtype=dtype)
        return kept[:size]

    @property
    def nbytes(self) -> int:
        return sum(kept.nbytes for kept in self._kept.values())


class Pool(Generic[T]):
    """Things of which as many are made as are in use at once, and a few are kept for later, by any thread.

    The next block is likely to be as large as the last one: what it needs is at hand, and was touched before.
    """

    def __init__(self, made: Callable[[], T], most: int) -> None:
        self._made, self._most = made, most
        self._free: list[T] = []

    def __len__(self) -> int:
        return len(self._free)

    def take(self) -> T:
        try:
            return self._free.pop()
        except IndexError:
            return self._made()

    def give_back(self, thing: T, nbytes: int) -> None:
        """Keep it for the next who asks, unless there are enough of them, or it takes too much memory."""
        if len(self._free) < self._most and nbytes <= MOST_BYTES:
            self._free.append(thing)
