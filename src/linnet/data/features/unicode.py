"""The kind and the lower case of every Unicode character: Python's own answers, as tables for the kernels."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

POINTS = 0x110000
PAGE = 256
SPACE, WORD, MARK = range(3)
# Lower case that depends on the neighbours, or has several characters, is left to Python.
SPECIAL = -1
SIGMA = "Σ"
SPECIALS = (SIGMA, "İ")


class CharacterTables:
    """Kinds and lower case by code point; a page of 256 is filled when it is first needed."""

    def __init__(self, *, lowercase: bool) -> None:
        self.lowercase = lowercase
        self.kinds: NDArray[np.uint8] = np.zeros(POINTS, dtype=np.uint8)
        self.lowers: NDArray[np.int32] = np.zeros(POINTS, dtype=np.int32)
        self.pages: NDArray[np.uint8] = np.zeros(POINTS // PAGE, dtype=np.uint8)
        self.fill(0)

    def fill(self, page: int) -> None:
        for point in range(page * PAGE, (page + 1) * PAGE):
            character = chr(point)
            word = character.isalnum() or character == "_"
            self.kinds[point] = SPACE if character.isspace() else WORD if word else MARK
            self.lowers[point] = self._lower(character)
        self.pages[page] = 1

    def _lower(self, character: str) -> int:
        if not self.lowercase:
            return ord(character)
        lower = character.lower()
        return SPECIAL if len(lower) != 1 or character == SIGMA else ord(lower)


@cache
def tables(*, lowercase: bool) -> CharacterTables:
    """One set of tables for all threads: a page that two fill at once is the same page."""
    return CharacterTables(lowercase=lowercase)
