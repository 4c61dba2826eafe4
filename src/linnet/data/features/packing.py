"""Blocks of numbers and categories packed as they are collected, and the packed table of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from linnet.data.features.feature_map import Features
from linnet.data.features.terms import CategoryTerm, NumberTerm, Piece
from linnet.data.packed_rows import PackedBlock, PackedTable

# More columns than this are mostly zeros of categories, which sparse rows do not have.
MOST_COLUMNS = 256


class Packing:
    """How the terms of some features are packed."""

    def __init__(self, features: Features) -> None:
        self.features = features
        self._numbers = [at for at, term in enumerate(features.terms) if isinstance(term, NumberTerm)]
        self._categories = [at for at, term in enumerate(features.terms) if type(term) is CategoryTerm]
        self._decimals = [0] * len(self._numbers)

    @property
    def possible(self) -> bool:
        """Whether all terms are numbers and categories, and few enough of those."""
        terms = len(self._numbers) + len(self._categories)
        return terms == len(self.features.terms) and len(self.features) <= 2 * MOST_COLUMNS

    def packed(self, pieces: Sequence[Piece]) -> PackedBlock:
        numbers = []
        for at in self._numbers:
            ids, values = pieces[at].ids, pieces[at].values
            all_here = pieces[at].only == 0 or not ids.any()
            numbers.append(values if all_here else np.where(ids == 1, np.nan, values))
        codes = [pieces[at].ids for at in self._categories]
        return PackedBlock.of(numbers, codes, len(pieces[0].ids), self._decimals)

    def pieces(self, block: PackedBlock) -> list[Piece]:
        """What `packed` was given."""
        made: dict[int, Piece] = {}
        for column, at in enumerate(self._numbers):
            values = block.number(column)
            missing = np.isnan(values)
            made[at] = Piece(missing.astype(np.int64), np.where(missing, 1.0, values))
        for column, at in enumerate(self._categories):
            made[at] = Piece(block.codes[:, column].astype(np.int64), np.ones(block.rows))
        return [made[at] for at in range(len(made))]

    def table(self, blocks: list[PackedBlock]) -> PackedTable | None:
        """The table of all blocks, now that all categories are known; None if it has too many columns."""
        sizes = self.features.sizes
        offsets = list(accumulate(sizes, initial=0))
        numbers = [(offsets[at], offsets[at] + 1) for at in self._numbers]
        categories = [(offsets[at], sizes[at]) for at in self._categories]
        table = PackedTable(blocks, offsets[-1], numbers, categories)
        return table if table.columns <= MOST_COLUMNS else None
