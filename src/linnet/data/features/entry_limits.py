"""How many n-grams, conjunctions or named features a row may have, and where a block of too many is cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.data import limits
from linnet.data.sources.block import Block
from linnet.errors import InputError, option


@dataclass(frozen=True)
class EntryLimits:
    """The most entries of rows that are prepared at once, and of a single row; their name, and the option they obey,
    if there is one."""

    block: int
    row: int
    name: str
    option: str = ""

    @property
    def remedy(self) -> str:
        return f"lower {option(self.option)}, or shorten the row" if self.option else "shorten the row"


NGRAMS = EntryLimits(limits.BLOCK_NGRAMS, limits.ROW_NGRAMS, "n-grams", "ngrams")
CONJUNCTIONS = EntryLimits(limits.BLOCK_CONJUNCTIONS, limits.ROW_CONJUNCTIONS, "conjunctions", "conjunctions")
NAMES = EntryLimits(limits.BLOCK_NAMES, limits.ROW_NAMES, "named features")


def entry_cuts(block: Block, entries: NDArray[np.int64], most: EntryLimits) -> list[int]:
    """The rows before which a block is cut, so that the parts have few enough entries; raise for a row that has not."""
    if entries.sum(dtype=np.float64) <= most.block:
        return []
    if (entries > most.row).any():
        row = int(np.argmax(entries > most.row))
        raise InputError(
            f"{block.location(row)}: the row has up to {entries[row]:,} {most.name}, more than {most.row:,}: "
            f"{most.remedy}"
        )
    ends = np.cumsum(entries)
    cuts: list[int] = []
    done = 0
    while ends[-1] - done > most.block:
        first = cuts[-1] if cuts else 0
        stop = max(int(np.searchsorted(ends, done + most.block, side="right")), first + 1)
        if stop >= len(entries):
            break
        cuts.append(stop)
        done = int(ends[stop - 1])
    return cuts
