"""A short disjunction that is right of every row, looked for in two readings and little memory.

The first reading sees which literals a negative row has: they cannot be in it.  In the second, of the literals that
remain the one that most of the positive rows still lack is taken, and again, until every one has a literal of those
taken (the greedy cover, which need not be the shortest).  Only positive rows that lack one so far are kept, and of them
only the literals that may be taken; where they become too many, a cover of those is settled before more are read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Rows

READINGS = 2
# Entries of rows that are kept at once: some hundred megabytes.
KEPT_AT_MOST = 1 << 23
# Rows that are looked at together: where there is no disjunction, the first of them often tell.
AT_ONCE = 1 << 13


class Disjunction:
    """Rows are taken twice, in the same order; what comes out does not depend on how they were cut into blocks."""

    def __init__(self, columns: int, *, complement: bool = False) -> None:
        self.complement = complement
        self.exists = True
        self.taken = 0
        self._had = np.zeros(columns, dtype=np.int64)  # of a column: how many negative rows have it
        self._negatives = 0
        self._chosen: NDArray[np.bool_] | None = None
        self._kept: list[Any] = []
        self._entries = 0

    def take(self, reading: int, rows: Rows, positive: NDArray[np.bool_]) -> None:
        """More rows of the first reading, or of the second."""
        for first in range(0, rows.shape[0], AT_ONCE):
            some = slice(first, first + AT_ONCE)
            if self.exists:
                self._take(reading, _true(rows.matrix(some)), positive[some])

    def _take(self, reading: int, matrix: Any, positive: NDArray[np.bool_]) -> None:
        wanted = matrix[np.flatnonzero(positive)]
        if reading == 0:
            against = matrix[np.flatnonzero(~positive)]
            self._had += np.bincount(against.indices, minlength=len(self._had))
            self._negatives += against.shape[0]
            if not self.complement:  # a row that has no literal left by now ends the search
                self.exists = _all_have_some(_only(wanted, self._had == 0))
        elif wanted.shape[0]:
            self._cover(self._literals(wanted))

    def length(self) -> int | None:
        """How many literals it has; None if there is none."""
        if self.exists:
            self._settle()
        return self.taken if self.exists else None

    def _literals(self, wanted: Any) -> Any:
        """Of positive rows, the literals that no negative row has; complements behind the columns."""
        from scipy.sparse import csr_array, hstack

        literals = _only(wanted, self._had == 0)
        if not self.complement:
            return literals
        opposed = np.flatnonzero(self._had == self._negatives)
        without = csr_array(1.0 - wanted[:, opposed].toarray())
        without.eliminate_zeros()
        shape = (wanted.shape[0], len(self._had))
        spread = csr_array((without.data, opposed[without.indices], without.indptr), shape=shape)
        return hstack([literals, spread], format="csr")

    def _cover(self, literals: Any) -> None:
        """Keep the rows that lack a literal of those taken; settle them whenever they have become too many."""
        if not _all_have_some(literals):
            self.exists = False
            return
        while literals.shape[0]:
            if self._chosen is not None:
                literals = literals[np.flatnonzero(literals @ self._chosen.astype(np.float64) == 0)]
            room = KEPT_AT_MOST - self._entries
            fit = int(np.searchsorted(literals.indptr, room, side="right")) - 1
            if fit >= literals.shape[0]:
                self._kept.append(literals)
                self._entries += literals.nnz
                return
            self._kept.append(literals[: fit + 1])  # one more than fits, or a row longer than all room would stay
            literals = literals[fit + 1 :]
            self._settle()

    def _settle(self) -> None:
        """Take literals, the one first that most rows lack, until the rows that are kept lack none."""
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
        lacking, gains = np.ones(by_row.shape[0], dtype=bool), np.diff(choices.indptr).astype(np.int64)
        while lacking.any():
            best = int(np.argmax(gains))
            covered = choices.indices[choices.indptr[best] : choices.indptr[best + 1]]
            covered = covered[lacking[covered]]
            lacking[covered] = False
            gains -= np.bincount(by_row[covered].indices, minlength=len(gains))
            self._chosen[used[best]] = True
            self.taken += 1


def shortest_found(rows: Rows, positive: NDArray[np.bool_], *, complement: bool = False) -> int | None:
    """How many literals a disjunction takes that is right of every row, found greedily; None if there is none."""
    found = Disjunction(rows.shape[1], complement=complement)
    for reading in range(READINGS):
        found.take(reading, rows, positive)
    return found.length()


def _true(rows: Any) -> Any:
    """The rows with a 1 for every entry that is not 0."""
    from scipy.sparse import csr_array

    matrix = csr_array(rows, copy=True)
    matrix.eliminate_zeros()
    matrix.data = np.ones(len(matrix.data))
    return matrix


def _only(rows: Any, columns: NDArray[np.bool_]) -> Any:
    """The rows with their entries in these columns alone."""
    from scipy.sparse import csr_array

    kept = columns[rows.indices]
    starts = np.concatenate([[0], np.cumsum(kept)])[rows.indptr]
    return csr_array((rows.data[kept], rows.indices[kept], starts), shape=rows.shape)


def _all_have_some(literals: Any) -> bool:
    return bool(np.diff(literals.indptr).min(initial=1) > 0)
