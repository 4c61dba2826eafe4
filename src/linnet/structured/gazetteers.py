"""Gazetteers: lists of names, of one or more words each, and which tokens of a sentence are in their entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError

# The words of an entry; this bounds the work at each token.
MOST_WORDS = 100


def entry_of(text: str) -> str:
    """An entry as it is compared: in lower case, its words separated by one blank."""
    words = text.lower().split()
    if len(words) > MOST_WORDS:
        raise InputError(f"an entry of {len(words):,} words, {MOST_WORDS} at most: is it a list of names, one a line?")
    return " ".join(words)


class Gazetteers:
    """The entries of some lists in a tree of their words: each node is its number, by that of the node before and the
    next word."""

    def __init__(self, lists: Mapping[str, frozenset[str]]) -> None:
        self._codes: dict[str, int] = {}
        self._nodes: dict[tuple[int, int], int] = {}
        # for each node at which entries end, the numbers of their lists as bits
        self._ends: dict[int, int] = {}
        self._names = sorted(lists)
        for number, name in enumerate(self._names):
            for entry in lists[name]:
                self._add(entry.split(" "), 1 << number)
        first = np.zeros(len(self._codes) + 1, dtype=bool)
        first[[code for node, code in self._nodes if node == 0]] = True
        self._first = first

    def _add(self, words: list[str], bit: int) -> None:
        node = 0
        for word in words:
            code = self._codes.setdefault(word, len(self._codes))
            node = self._nodes.setdefault((node, code), len(self._nodes) + 1)
        self._ends[node] = self._ends.get(node, 0) | bit

    def codes(self, words: list[str]) -> NDArray[np.int32]:
        """The number of each word among those of entries; -1 for a word that is in none."""
        return np.array([self._codes.get(word.lower(), -1) for word in words], dtype=np.int32)

    def listed(self, codes: NDArray[np.int32], starts: NDArray[np.int64]) -> dict[int, str]:
        """For each token of some sentences that is in an entry, the names of its lists, by the codes of all tokens."""
        candidates = np.flatnonzero(self._first[codes])
        stops = starts[np.searchsorted(starts, candidates, side="right")]
        sequence = codes.tolist()
        found: dict[int, int] = {}
        for begin, stop in zip(candidates.tolist(), stops.tolist(), strict=True):
            ends = self._ends_from(sequence, begin, stop)
            bits = 0
            for back, more in enumerate(reversed(ends), 1):  # a token is in all entries that end at it or behind it
                bits |= more
                if bits:
                    at = begin + len(ends) - back
                    found[at] = found.get(at, 0) | bits
        names = {bits: self._named(bits) for bits in set(found.values())}
        return {token: names[bits] for token, bits in found.items()}

    def _ends_from(self, sequence: list[int], begin: int, stop: int) -> list[int]:
        """The lists with entries that begin at a token, by the tokens they end at."""
        node: int | None = 0
        ends = []
        for at in range(begin, stop):
            node = self._nodes.get((node or 0, sequence[at]))
            if node is None:
                break
            ends.append(self._ends.get(node, 0))
        return ends

    def _named(self, bits: int) -> str:
        return ",".join(name for number, name in enumerate(self._names) if bits >> number & 1)


def normal_lists(lists: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """Lists with their entries as they are compared, without empty ones."""
    return {name: frozenset(filter(None, map(entry_of, map(str, entries)))) for name, entries in lists.items()}
