"""A short disjunction that labels every row correctly, found in two readings and little memory.

The first reading excludes the literals that are true in a negative row.  The second covers the positive rows greedily:
it chooses the remaining literal that is true in most of the uncovered rows, until all rows are covered.  The result
need not be the shortest.  Only uncovered positive rows are kept, and of them only the remaining literals; where they
would exceed the memory limit, the rows kept so far are covered first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows

READINGS = 2
# The most entries of uncovered rows that are kept: about a hundred megabytes.
MOST_ENTRIES = 1 << 23
# Small blocks end the search early: where there is no disjunction, the first rows often show it.
ROWS_PER_BLOCK = 1 << 13


class Disjunction:
    """Reads the rows twice, in the same order; the result does not depend on how they are cut into blocks."""

    def __init__(self, columns: int, *, complement: bool = False, most_entries: int = MOST_ENTRIES) -> None:
        self.complement, self.most_entries = complement, most_entries
        self.exists = True
        self._length = 0
        self._in_negatives = np.zeros(columns, dtype=np.int64)  # by column: the negative rows in which it is true
        self._negatives = 0
        self._chosen: NDArray[np.bool_] | None = None
        self._kept: list[Any] = []
        self._entries = 0

    def add(self, reading: int, rows: Rows, positive: NDArray[np.bool_]) -> None:
        """A block of rows of the first reading (0) or the second (1)."""
        for first in range(0, rows.shape[0], ROWS_PER_BLOCK):
            some = slice(first, first + ROWS_PER_BLOCK)
            if self.exists:
                self._add(reading, _true(rows.matrix(some)), positive[some])

    def _add(self, reading: int, matrix: Any, positive: NDArray[np.bool_]) -> None:
        wanted = matrix[np.flatnonzero(positive)]
        if reading == 0:
            against = matrix[np.flatnonzero(~positive)]
            self._in_negatives += np.bincount(against.indices, minlength=len(self._in_negatives))
            self._negatives += against.shape[0]
            if not self.complement:  # a positive row without a remaining literal ends the search
                self.exists = _all_have_some(_only(wanted, self._in_negatives == 0))
        elif wanted.shape[0]:
            self._cover(self._literals(wanted))

    def length(self) -> int | None:
        """The number of literals; None if there is no such disjunction."""
        if self.exists:
            self._choose()
        return self._length if self.exists else None

    def _literals(self, wanted: Any) -> Any:
        """The remaining literals of positive rows; complements follow the columns."""
        from scipy.sparse import csr_array, hstack

        literals = _only(wanted, self._in_negatives == 0)
        if not self.complement:
            return literals
        opposed = np.flatnonzero(self._in_negatives == self._negatives)
        without = csr_array(1.0 - wanted[:, opposed].toarray())
        without.eliminate_zeros()
        shape = (wanted.shape[0], len(self._in_negatives))
        spread = csr_array((without.data, opposed[without.indices], without.indptr), shape=shape)
        return hstack([literals, spread], format="csr")

    def _cover(self, literals: Any) -> None:
        """Keep the uncovered rows; cover them whenever they exceed the memory limit."""
        if not _all_have_some(literals):
            self.exists = False
            return
        while literals.shape[0]:
            if self._chosen is not None:
                literals = literals[np.flatnonzero(literals @ self._chosen.astype(np.float64) == 0)]
            room = self.most_entries - self._entries
            fit = int(np.searchsorted(literals.indptr, room, side="right")) - 1
            if fit >= literals.shape[0]:
                self._kept.append(literals)
                self._entries += literals.nnz
                return
            self._kept.append(literals[: fit + 1])  # one more than fits: a single row may exceed the limit
            literals = literals[fit + 1 :]
            self._choose()

    def _choose(self) -> None:
        """Choose literals greedily until the kept rows are covered."""
        from scipy.sparse import csc_array, vstack

        if not self._kept:
            return
        by_row = vstack(self._kept, format="csr")
        self._kept, self._entries = [], 0
        if self._chosen is None:
            self._chosen = np.zeros(by_row.shape[1], dtype=bool)
        used = np.unique(by_row.indices)
        by_row = by_row[:, used]
        choices = csc_array(by_row)
        uncovered, gains = np.ones(by_row.shape[0], dtype=bool), np.diff(choices.indptr).astype(np.int64)
        while uncovered.any():
            best = int(np.argmax(gains))
            covered = choices.indices[choices.indptr[best] : choices.indptr[best + 1]]
            covered = covered[uncovered[covered]]
            uncovered[covered] = False
            gains -= np.bincount(by_row[covered].indices, minlength=len(gains))
            self._chosen[used[best]] = True
            self._length += 1


def _true(rows: Any) -> Any:
    """The rows with a 1 for every non-zero entry."""
    from scipy.sparse import csr_array

    matrix = csr_array(rows, copy=True)
    matrix.eliminate_zeros()
    matrix.data = np.ones(len(matrix.data))
    return matrix


def _only(rows: Any, columns: NDArray[np.bool_]) -> Any:
    """The rows with the entries of these columns only."""
    from scipy.sparse import csr_array

    kept = columns[rows.indices]
    starts = np.concatenate([[0], np.cumsum(kept)])[rows.indptr]
    return csr_array((rows.data[kept], rows.indices[kept], starts), shape=rows.shape)


def _all_have_some(literals: Any) -> bool:
    return bool(np.diff(literals.indptr).min(initial=1) > 0)
