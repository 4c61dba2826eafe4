"""Arrays that are reused from block to block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

T = TypeVar("T")

# Buffers larger than this, of one huge text, are not kept for the next.
MOST_BYTES = 1 << 26


class Buffers:
    """Arrays by name, each as large as the largest request so far.

    The system clears new memory page by page when it is first touched; for a block of text that takes longer than to
    count its words.  Asking for an array again gives the same memory: its content is lost.
    """

    def __init__(self) -> None:
        self._kept: dict[str, NDArray[Any]] = {}

    def array(self, name: str, size: int, dtype: DTypeLike) -> NDArray[Any]:
        """An array of this size, with arbitrary content."""
        kept = self._kept.get(name)
        if kept is None or len(kept) < size:
            kept = self._kept[name] = np.empty(size + size // 4, dtype=dtype)
        return kept[:size]

    @property
    def nbytes(self) -> int:
        return sum(kept.nbytes for kept in self._kept.values())


class Pool(Generic[T]):
    """Objects shared by all threads: as many are made as are in use at once, and up to `most` are kept for reuse."""

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
        """Keep it for reuse, unless enough are kept or it takes too much memory."""
        if len(self._free) < self._most and nbytes <= MOST_BYTES:
            self._free.append(thing)
