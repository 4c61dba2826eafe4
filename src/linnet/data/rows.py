"""Rows of numbers, sparse or dense, and rows with targets: what every learner takes.

Shapes, once for all of linnet: n rows, d columns.  Row i of a sparse block has the values
values[starts[i]:starts[i + 1]] in the columns ids[starts[i]:starts[i + 1]]; row i of a dense block is
values[i * d:(i + 1) * d].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.limits import LARGEST_TOTAL_WEIGHT, SMALLEST_TOTAL_WEIGHT
from linnet.data.sparse_matrices import Csr, csr_of, is_sparse, numeric
from linnet.errors import InputError
from linnet.kernels.sparse_entries import take as take_entries
from linnet.kernels.sparse_entries import take_columns

NO_IDS = np.empty(0, dtype=np.uint32)
NO_STARTS = np.empty(0, dtype=np.int64)
CHECK_SIZE = 1 << 20
# Entries whose largest and smallest are looked for one after the other: they stay in the cache in between.
CACHED = 1 << 16


@dataclass(frozen=True, eq=False)
class Rows:
    """n rows of d numbers, sparse (CSR) or dense, in the types that kernels take."""

    values: NDArray[Any]
    ids: NDArray[np.uint32]
    starts: NDArray[np.int64]
    shape: tuple[int, int]
    names: tuple[str, ...] = ()
    # what an entry of each column may be off by beside its own rounding: it was larger, with a last digit of as much
    resolution: NDArray[np.float64] | None = None

    @property
    def dense(self) -> bool:
        return self.starts is NO_STARTS

    @property
    def layout(self) -> tuple[NDArray[Any], NDArray[np.uint32], NDArray[np.int64], int, bool]:
        """(values, ids, starts, columns, dense): the rows as most kernels take them."""
        return self.values, self.ids, self.starts, self.shape[1], self.dense

    @property
    def entries(self) -> int:
        """How many entries are stored."""
        return len(self.values)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the entries."""
        return self.values.dtype

    def __post_init__(self) -> None:
        """Kernels read by these lengths unchecked, so they must fit whoever made the rows."""
        n, d = self.shape
        if self.dense:
            fits = len(self.values) == n * d
        else:
            fits = len(self.starts) == n + 1 and self.starts[-1] <= min(len(self.ids), len(self.values))
        if not fits:
            raise InputError(f"the arrays of a block do not fit its shape, {n} x {d}")

    @classmethod
    def of(cls, X: Any, names: Sequence[str] = ()) -> Rows:
        """A 2-D array or a SciPy sparse matrix as rows, checked, and copied only if its types do not fit."""
        rows = cls.of_csr(csr_of(X)) if is_sparse(X) else cls._of_dense(np.asanyarray(X))
        return replace(rows, names=tuple(names)) if len(names) else rows

    @classmethod
    def _of_dense(cls, X: NDArray[Any]) -> Rows:
        if X.ndim != 2:
            raise InputError(f"X must have two dimensions, rows and columns; it has {X.ndim}")
        return cls(numeric(X).reshape(-1), NO_IDS, NO_STARTS, X.shape)

    @classmethod
    def of_csr(cls, X: Csr) -> Rows:
        """As `of`, from a sparse matrix that is checked already."""
        if not X.rising:  # duplicate or unsorted column ids
            X = X.summed()
        return cls(numeric(X.data), X.ids.view(np.uint32), X.starts, X.shape)

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest stored entry; NaN, if one of them is; (inf, -inf) of none."""
        least, most = np.inf, -np.inf
        with np.errstate(invalid="ignore"):
            for first in range(0, len(self.values), CACHED):
                block = self.values[first : first + CACHED]
                low, high = float(block.min()), float(block.max())
                least, most = low if not low >= least else least, high if not high <= most else most
                if not (np.isfinite(low) and np.isfinite(high)):
                    break
        return least, most

    @cached_property
    def largest_entry(self) -> float:
        """The largest size of an entry; NaN, if one of them is."""
        least, most = self.ends
        return max(0.0, -least, most) if least <= most else 0.0 if least > most else np.nan

    def check_finite(self) -> None:
        """Raise for the first NaN or infinity, naming row and column."""
        if np.isfinite(self.largest_entry):
            return
        for first in range(0, len(self.values), CHECK_SIZE):
            block = self.values[first : first + CHECK_SIZE]
            bad = np.flatnonzero(~np.isfinite(block))
            if len(bad):
                at = first + int(bad[0])
                row, column = self.row_and_column(at)
                name = f" ({self.names[column]})" if self.names else ""
                what = "NaN" if np.isnan(self.values[at]) else "inf"
                raise InputError(
                    f"Input X contains {what} at row {row}, column {column}{name}: "
                    f"impute such values first (sklearn.impute), or drop the rows"
                )

    def check_fit(self, misfits: NDArray[np.bool_], takes: str) -> None:
        """Raise for the first stored entry that a learner cannot take, naming row and column."""
        if misfits.any():
            at = int(misfits.argmax())
            row, column = self.row_and_column(at)
            name = f" ({self.names[column]})" if self.names else ""
            raise InputError(f"row {row}, column {column}{name} has the value {self.values[at]:g}: {takes}")

    def row_and_column(self, at: int) -> tuple[int, int]:
        """Row and column of stored entry `at`."""
        if self.dense:
            return divmod(at, self.shape[1])
        return int(np.searchsorted(self.starts, at, side="right")) - 1, int(self.ids[at])

    def matrix(self, rows: NDArray[np.int64] | slice = slice(None)) -> Any:
        """These rows as a 2-D array, or as a SciPy matrix if they are sparse."""
        if self.dense:
            return self.values.reshape(self.shape)[rows]
        from scipy.sparse import csr_array

        if not isinstance(rows, slice) or rows.step is not None:
            return csr_array((self.values, self.ids.view(np.int32), self.starts), shape=self.shape)[rows]
        # slice first: SciPy widens all ids that it is given to the type of the row pointers
        first, last, _ = rows.indices(self.shape[0])
        last = max(first, last)
        starts = self.starts[first : last + 1]
        entries = slice(starts[0], starts[-1])
        arrays = (self.values[entries], self.ids[entries].view(np.int32), starts - starts[0])
        return csr_array(arrays, shape=(last - first, self.shape[1]), copy=True)

    def some_columns(
        self, which: NDArray[np.int64], rows: slice = slice(None), into: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Some of the columns of these dense rows, as a table of their own; `into` is room for it."""
        X = self.matrix(rows)
        into = np.empty((len(X), len(which))) if into is None else into
        take_columns(X.reshape(-1), self.shape[1], which, into)
        return into

    def take(self, which: NDArray[np.int64]) -> Rows:
        """Some of the rows, their entries in the same order, so that sums over them have the same bits."""
        shape = (len(which), self.shape[1])
        if self.dense:
            return Rows(self.matrix(which).reshape(-1), NO_IDS, NO_STARTS, shape, self.names, self.resolution)
        starts = np.zeros(len(which) + 1, dtype=np.int64)
        firsts = self.starts[which]
        np.cumsum(self.starts[which + 1] - firsts, out=starts[1:])
        values, ids = np.empty(starts[-1], dtype=self.values.dtype), np.empty(starts[-1], dtype=np.uint32)
        take_entries(self.values, self.ids, firsts, values, ids, starts)
        return Rows(values, ids, starts, shape, self.names, self.resolution)

    def unpacked(self) -> Rows:
        """Rows of all features, which take as much memory as they must."""
        return self

    def every(self, step: int) -> Rows:
        """Each row whose number is a multiple of the step."""
        return Rows.of(self.matrix(slice(None, None, step)))


def take_rows(rows: Rows, which: NDArray[np.int64]) -> Rows:
    """Some of the rows."""
    return rows.take(which)


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows, each with a target (a class code, or a number) and, if given, a sample weight."""

    rows: Rows
    targets: NDArray[np.float64]
    weights: NDArray[np.float64] | None = None
    origin: str = "array"

    def __post_init__(self) -> None:
        n = self.rows.shape[0]
        if len(self.targets) != n:
            raise InputError(f"{self.origin}: {n} rows but {len(self.targets)} targets")
        if self.weights is not None and len(self.weights) != n:
            raise InputError(f"{self.origin}: {n} rows but {len(self.weights)} weights")

    @property
    def total_weight(self) -> float:
        """The sum of sample weights."""
        return float(len(self.targets) if self.weights is None else self.weights.sum())


def check_total_weight(weights: NDArray[np.float64]) -> None:
    """Refuse sample weights whose sum leaves no digits for what is multiplied with it, or divided by it."""
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if total > LARGEST_TOTAL_WEIGHT:
        raise InputError(
            f"the sample weights add up to more than {LARGEST_TOTAL_WEIGHT:g}: divide all of them by the largest"
        )
    if 0.0 < total < SMALLEST_TOTAL_WEIGHT:
        raise InputError(
            f"the sample weights add up to less than {SMALLEST_TOTAL_WEIGHT:g}: divide all of them by the largest"
        )


def select_examples(examples: Examples, which: NDArray[np.bool_]) -> Examples:
    """The examples that the mask selects."""
    at = np.flatnonzero(which)
    rows = examples.rows if len(at) == examples.rows.shape[0] else take_rows(examples.rows, at)
    return Examples(rows, examples.targets[at], None if examples.weights is None else examples.weights[at])


def with_intercept_column(rows: Rows, value: float = 1.0) -> Rows:
    """The rows with one more column, which is 1, or another value, in all of them."""
    n, d = rows.shape
    names = (*rows.names, "intercept") if rows.names else ()
    if rows.dense:
        table = np.full((n, d + 1), value, dtype=rows.values.dtype)
        table[:, :d] = rows.values.reshape(n, d)
        return Rows(table.reshape(-1), NO_IDS, NO_STARTS, (n, d + 1), names, rows.resolution)
    ends = rows.starts[1:]
    values = np.insert(rows.values, ends, value)
    ids = np.insert(rows.ids, ends, np.uint32(d))
    return Rows(values, ids, rows.starts + np.arange(n + 1), (n, d + 1), names)
