"""Arrays that are used again for one block after another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


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
