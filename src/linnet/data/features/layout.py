"""Which column of the rows each feature has, and rows put together from the entries of all terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.terms import Piece
from linnet.data.rows import Rows
from linnet.kernels.side_by_side import rows_of

# Rows that are filled column by column at once, so that they stay in cache.
ROWS_IN_CACHE = 512
# Ids of more entries than this are not kept for further rows: they are of all rows, not of a block.
SHARED_ENTRIES = 1 << 20


@dataclass(frozen=True)
class TermOrder:
    """Features term after term, the order of a finished model: term t begins at column offsets[t]."""

    offsets: tuple[int, ...]
    size: int

    @classmethod
    def of(cls, sizes: Sequence[int]) -> TermOrder:
        *offsets, size = accumulate(sizes, initial=0)
        return cls(tuple(offsets), size)

    def columns(self, term: int, numbers: NDArray[Any]) -> NDArray[Any]:
        """The columns of these features of a term."""
        offset = self.offsets[term]
        return numbers + offset if offset else numbers


class FeatureLayout:
    """Features in the order in which rows first had them, which no later block changes."""

    def __init__(self, terms: int) -> None:
        self._columns: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64) for _ in range(terms)]
        self._used = [0] * terms
        self._in_order = terms == 1  # a feature's column is its number
        self.size = 0

    @classmethod
    def of(cls, by_term: Sequence[NDArray[np.int64]]) -> FeatureLayout:
        """The layout that had these columns."""
        layout = cls(len(by_term))
        layout._columns, layout._used = [each.copy() for each in by_term], [len(each) for each in by_term]
        layout.size = sum(layout._used)
        layout._in_order = len(by_term) == 1 and np.array_equal(by_term[0], np.arange(layout.size))
        return layout

    @property
    def by_term(self) -> list[NDArray[np.int64]]:
        """The columns of each term's features."""
        return [columns[:used] for columns, used in zip(self._columns, self._used, strict=True)]

    def columns(self, term: int, numbers: NDArray[Any]) -> NDArray[Any]:
        """The columns of these features of a term."""
        return numbers if self._in_order else self._columns[term][numbers]

    def extend(self, sizes: Sequence[int]) -> None:
        """Give a column to every feature that has none yet."""
        for term, size in enumerate(sizes):
            used = self._used[term]
            if size > len(self._columns[term]):  # doubled, or every block would copy all columns so far
                grown = np.empty(max(size, 2 * used), dtype=np.int64)
                grown[:used] = self._columns[term][:used]
                self._columns[term] = grown
            if size > used:
                self._columns[term][used:size] = np.arange(self.size, self.size + size - used)
                self._used[term] = size
                self.size += size - used


def assembled(pieces: Sequence[Piece], layout: FeatureLayout | TermOrder) -> Rows:
    """Rows of all terms' entries, in the order of the terms."""
    if len(pieces) == 1 and len(pieces[0].starts):
        only = pieces[0]
        columns = layout.columns(0, only.ids)
        ids = columns if columns.dtype == np.uint32 else columns.astype(np.uint32)
        return Rows(only.values, ids, only.starts, (len(only.starts) - 1, layout.size))
    if not any(len(piece.starts) for piece in pieces) and all(piece.all_known for piece in pieces):
        return _one_each(pieces, layout)
    n = max((len(p.starts) - 1 if len(p.starts) else len(p.ids)) for p in pieces)
    lengths = [np.diff(p.starts) if len(p.starts) else (p.ids >= 0).astype(np.int64) for p in pieces]
    starts = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.sum(lengths, axis=0), out=starts[1:])
    single = all(piece.values.dtype == np.float32 for piece in pieces)
    values = np.empty(starts[-1], dtype=np.float32 if single else np.float64)
    ids = np.empty(starts[-1], dtype=np.uint32)
    free = starts[:-1].copy()
    for term, (piece, length) in enumerate(zip(pieces, lengths, strict=True)):
        if len(piece.starts):
            at = np.repeat(free - piece.starts[:-1], length) + np.arange(len(piece.ids))
            values[at], ids[at] = piece.values, layout.columns(term, piece.ids)
        else:
            there = piece.ids >= 0
            values[free[there]], ids[free[there]] = piece.values[there], layout.columns(term, piece.ids[there])
        free += length
    return Rows(values, ids, starts, (n, layout.size))


def side_by_side(prepared: list[Any]) -> list[Any]:
    """Numbers none of which is missing as columns of one table: rows are assembled of it without a copy.

    For whoever assembles block after block: the threads that prepare blocks do here what would hold up all others.
    """
    if len(prepared) < 2 or not all(isinstance(each, Piece) and _is_column(each) for each in prepared):
        return prepared
    table = rows_of([piece.values for piece in prepared])
    return [replace(piece, values=table[:, term], table=table) for term, piece in enumerate(prepared)]


def _is_column(piece: Piece) -> bool:
    """Whether these are numbers for every row, which a kernel can read."""
    values = piece.values
    return piece.only is not None and values.dtype == np.float64 and values.flags.c_contiguous


def _one_each(pieces: Sequence[Piece], layout: FeatureLayout | TermOrder) -> Rows:
    """The same where every term has an entry in every row: a table."""
    n, terms = len(pieces[0].ids), len(pieces)
    table = pieces[0].table
    if table is None or table.shape[1] != terms or any(piece.table is not table for piece in pieces):
        table = _filled(pieces, n)
    first_ids = tuple(int(layout.columns(term, piece.ids[:1])[0]) for term, piece in enumerate(pieces)) if n else ()
    shared = n * terms <= SHARED_ENTRIES
    ids, starts = _shared_by_blocks(first_ids, 1 << n.bit_length()) if shared else _in_every_row(first_ids, n)
    if any(piece.only is None for piece in pieces):
        by_row = ids[: n * terms].reshape(n, terms)
        by_row = by_row.copy() if shared else by_row
        for term, piece in enumerate(pieces):
            if piece.only is None:
                by_row[:, term] = layout.columns(term, piece.ids)
        ids = by_row.ravel()
    return Rows(table.ravel(), ids[: n * terms], starts[: n + 1], (n, layout.size))


def _filled(pieces: Sequence[Piece], n: int) -> NDArray[Any]:
    """The table whose columns are the values of these terms."""
    single = all(piece.values.dtype == np.float32 for piece in pieces)
    values = np.empty((n, len(pieces)), dtype=np.float32 if single else np.float64)
    for first in range(0, n, ROWS_IN_CACHE):
        some = slice(first, first + ROWS_IN_CACHE)
        for term, piece in enumerate(pieces):
            values[some, term] = piece.values[some]
    return values


def _in_every_row(ids: tuple[int, ...], rows: int) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The ids and the starts of rows that all have these."""
    return np.tile(np.array(ids, dtype=np.uint32), rows), np.arange(rows + 1, dtype=np.int64) * len(ids)


@lru_cache(maxsize=4)
def _shared_by_blocks(ids: tuple[int, ...], rows: int) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The same, kept for the blocks to come, which have the same ids."""
    every, starts = _in_every_row(ids, rows)
    every.flags.writeable = starts.flags.writeable = False
    return every, starts
