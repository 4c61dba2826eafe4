"""Directions along which the loss of unpenalised logistic regression never rises.

With s_i = 1 or -1 the class of row i and z_i = (x_i, 1), such a direction v has s_i z_i . v >= 0 for every row and > 0
for at least one.  For several classes v has a block for each class, and a row of class y gives a point for every other
class k: z_i (v_y - v_k).  separation.py states what follows from v; this module looks for it, by a Newton step or by
linear programmes:

    newton       q = (sum a_i z_i z_i')^-1 sum_i a_i s_i z_i, with a_i the slopes of the losses.  If no s_i z_i . q
                 reaches 1, the multipliers l_i = a_i (1 - s_i z_i . q) > 0 have sum_i l_i s_i z_i = 0: there is no v.
                 Where the loss falls without end, every Newton step gains a margin of 1.
    programme    maximise sum_i s_i z_i . v subject to s_i z_i . v >= 0, |v_j| <= 1 (Konis 2007): the maximum is 0 where
                 the classes overlap; otherwise the v_j that are not 0 name the columns that separate.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.cores import one_thread, scipy
from linnet.data.rows import Examples
from linnet.learners.linear import logistic
from linnet.training.solvers.least_squares import dense

Flat = NDArray[np.float64]
Columns = NDArray[np.int64]

ROWS_PER_BLOCK = 1 << 12
# Sets of at most this many columns are reduced by dropping them one by one.
COLUMNS_DROPPED_ONE_BY_ONE = 30
# A slope below this fraction of the largest is lost in the rounding of the sums that the proof of overlap rests on.
SMALLEST_SLOPE = 1e-10
# Rows and columns are scaled to at most 1: what is 0 to the linear programme, and what is not.
ZERO, NOT_ZERO = 1e-9, 1e-6


class Kind(StrEnum):
    """How the classes lie to each other."""

    OVERLAP = "overlap"
    QUASI = "quasi-complete"
    COMPLETE = "complete"
    SUSPECTED = "suspected"
    UNKNOWN = "unknown"


class SignedRows(ABC):
    """The rows of non-zero weight as points s z; v separates them where no product with v is negative."""

    shown_by: str
    limited: str

    def __init__(self, examples: Examples, intercept: bool) -> None:
        rows, targets, weights = examples.rows, examples.targets, examples.weights
        if weights is not None and not weights.all():
            at = np.flatnonzero(weights)
            rows, targets, weights = type(rows).of(rows.matrix(at), rows.names), targets[at], weights[at]
        self.examples = Examples(rows, targets, weights)
        self.matrix = rows.matrix()
        self.weights = np.ones(len(targets)) if weights is None else weights
        self.intercept = intercept
        largest: Any = abs(self.matrix).max(axis=0)
        largest = largest.toarray() if hasattr(largest, "toarray") else largest
        self.scales = np.append(np.where(largest > 0, largest, 1.0).reshape(-1), 1.0).astype(np.float64)

    @property
    @abstractmethod
    def dimensions(self) -> int:
        """The length of v without its intercepts."""

    @property
    @abstractmethod
    def entries(self) -> int:
        """The number of stored values of all points."""

    @abstractmethod
    def newton(self, margins: Flat, kept: Columns) -> tuple[Flat, float]:
        """The Newton step q, for columns scaled to at most 1, and its largest gain of a margin.

        The gain is infinite where some slopes are lost in rounding.
        """

    @abstractmethod
    def signed(self, kept: Columns) -> Any:
        """The points as a sparse matrix, for a linear programme."""

    @abstractmethod
    def by_column(self, v: Flat, columns: int) -> Flat:
        """The largest |v_j| of each column; `columns` is their number."""

    def names(self, columns: Columns) -> tuple[str, ...]:
        known = self.examples.rows.names
        return tuple(known[j] if known else f"x{j}" for j in columns.tolist())

    def _scaled(self, part: slice, kept: Columns) -> Flat:
        """Rows as z = (x, 1), columns scaled to at most 1."""
        z = np.append(dense(self.examples, part) / self.scales[:-1], np.ones((len(self.weights[part]), 1)), axis=1)
        return np.asarray(z[:, np.append(kept, len(self.scales) - 1)] * np.append(np.ones(len(kept)), self.intercept))

    def _scaled_sparse(self, kept: Columns) -> Any:
        from scipy.sparse import csr_array, diags_array, hstack

        scaled = csr_array(self.matrix)[:, kept] @ diags_array(1.0 / self.scales[kept])
        return hstack([scaled, np.ones((len(self.weights), 1))]) if self.intercept else scaled

    def _slices(self) -> list[slice]:
        return [slice(first, first + ROWS_PER_BLOCK) for first in range(0, len(self.weights), ROWS_PER_BLOCK)]

    def programme(self, kept: Columns) -> tuple[Kind, Columns]:
        """The kind of separation by Konis's linear programme, and the columns that separate."""
        signed = self.signed(kept)
        v = _maximise(signed.sum(axis=0), signed, np.zeros(signed.shape[0]), (-1.0, 1.0))
        if v is None:
            return Kind.UNKNOWN, kept[:0]
        margins = signed @ v
        if margins.max() <= NOT_ZERO or margins.min() < -ZERO * 10:
            return Kind.OVERLAP, kept[:0]
        few = self.fewest_columns(kept)
        if few is not None:
            return Kind.COMPLETE, few
        return Kind.QUASI, kept[self.by_column(v, len(kept)) > NOT_ZERO]

    def fewest_columns(self, kept: Columns) -> Columns | None:
        """A minimal set of columns that separates completely; None where the separation is not complete.

        The columns of the v of smallest L1 norm with every margin at least 1.  If they are few, the smallest are
        dropped one by one while the rest still separates.
        """
        v = self._plane(kept)
        if v is None:
            return None
        kept, v = kept[large(v, NOT_ZERO)], v[large(v, NOT_ZERO)]
        if len(kept) > COLUMNS_DROPPED_ONE_BY_ONE:
            return kept
        for column in kept[np.argsort(v)]:
            others = kept[kept != column]
            if len(others) and self._plane(others) is not None:
                kept = others
        return kept

    def _plane(self, kept: Columns) -> Flat | None:
        """By column, the v of smallest L1 norm with every margin at least 1; None where there is none."""
        from scipy.sparse import hstack

        signed = self.signed(kept)
        size = signed.shape[1]
        v = _maximise(-np.ones(2 * size), hstack([signed, -signed]), np.ones(signed.shape[0]), (0.0, None))
        return None if v is None else self.by_column(v[:size] - v[size:], len(kept))


class TwoClasses(SignedRows):
    """One class against the others: s_i z_i."""

    shown_by, limited = "shown by the fitted plane", "columns"

    def __init__(self, examples: Examples, positive: float, intercept: bool) -> None:
        super().__init__(examples, intercept)
        self.signs = np.where(self.examples.targets == positive, 1.0, -1.0)

    @property
    def dimensions(self) -> int:
        return self.examples.rows.shape[1]

    @property
    def entries(self) -> int:
        return len(self.examples.rows.values) + len(self.signs)

    def newton(self, margins: Flat, kept: Columns) -> tuple[Flat, float]:
        slopes = self.weights * logistic(-margins)
        size = len(kept) + 1
        table, right = np.zeros((size, size)), np.zeros(size)
        with one_thread():
            for part in self._slices():
                z = self._scaled(part, kept)
                table += (z * slopes[part, np.newaxis]).T @ z
                right += (slopes[part] * self.signs[part]) @ z
            if not self.intercept:
                table[-1, -1] = 1.0
            q = np.asarray(np.linalg.lstsq(table, right, rcond=None)[0], dtype=np.float64)
            gain = max(float((self.signs[part] * (self._scaled(part, kept) @ q)).max()) for part in self._slices())
        hidden = slopes.min() < SMALLEST_SLOPE * slopes.max()
        return q, float("inf") if hidden else gain

    def signed(self, kept: Columns) -> Any:
        from scipy.sparse import csr_array, diags_array

        return csr_array(diags_array(self.signs) @ self._scaled_sparse(kept))

    def by_column(self, v: Flat, columns: int) -> Flat:
        return np.abs(v[:columns])


class ManyClasses(SignedRows):
    """All classes jointly: for every row of class y and every other class k, z_i in block y of v and -z_i in block k.

    The last class is the reference and has no block.
    """

    shown_by, limited = "shown by the fitted weights", "columns × (classes - 1)"

    def __init__(self, examples: Examples, classes: int, intercept: bool) -> None:
        super().__init__(examples, intercept)
        self.classes = self.examples.targets.astype(np.int64)
        self.blocks = classes - 1
        self.rivals = np.ones((len(self.classes), classes), dtype=bool)
        self.rivals[np.arange(len(self.classes)), self.classes] = False

    @property
    def dimensions(self) -> int:
        return self.examples.rows.shape[1] * self.blocks

    @property
    def entries(self) -> int:
        return 2 * self.blocks * (len(self.examples.rows.values) + len(self.classes))

    def newton(self, margins: Flat, kept: Columns) -> tuple[Flat, float]:
        leads = np.full(self.rivals.shape, np.inf)
        leads[self.rivals] = margins
        slopes = self._slopes(leads)
        own, all_of_them = ~self.rivals, slopes.sum(axis=1)
        size = len(kept) + 1
        table, right = np.zeros((self.blocks, size, self.blocks, size)), np.zeros((self.blocks, size))
        with one_thread():
            for part in self._slices():
                z, a, y, total = self._scaled(part, kept), slopes[part], own[part], all_of_them[part]
                for k in range(self.blocks):
                    right[k] += np.where(y[:, k], total, -a[:, k]) @ z
                    table[k, :, k] += (z * np.where(y[:, k], total, a[:, k])[:, np.newaxis]).T @ z
                    for m in range(k):
                        table[k, :, m] -= (z * (y[:, k] * a[:, m] + y[:, m] * a[:, k])[:, np.newaxis]).T @ z
            for k in range(self.blocks):
                if not self.intercept:
                    table[k, -1, k, -1] = 1.0
                for m in range(k):
                    table[m, :, k] = table[k, :, m].T
            whole = self.blocks * size
            found = np.linalg.lstsq(table.reshape(whole, whole), right.reshape(-1), rcond=None)[0]
            q = np.asarray(found, dtype=np.float64).reshape(self.blocks, size)
            gain = max(self._gain(part, kept, q) for part in self._slices())
        counted = slopes[self.rivals]
        hidden = counted.min() < SMALLEST_SLOPE * counted.max()
        return q.reshape(-1), float("inf") if hidden else gain

    def _slopes(self, leads: Flat) -> Flat:
        """c p_k of every class but the row's own, given the leads of its own class."""
        e = np.exp(np.minimum(0.0, leads.min(axis=1, keepdims=True)) - np.where(self.rivals, leads, 0.0))
        return np.asarray(self.rivals * e / e.sum(axis=1, keepdims=True) * self.weights[:, np.newaxis])

    def _gain(self, part: slice, kept: Columns, q: Flat) -> float:
        scores = np.column_stack([self._scaled(part, kept) @ q.T, np.zeros(len(self.classes[part]))])
        leads = scores[np.arange(len(scores)), self.classes[part], np.newaxis] - scores
        return float(leads[self.rivals[part]].max())

    def signed(self, kept: Columns) -> Any:
        from scipy.sparse import coo_array, csr_array, vstack

        z = coo_array(self._scaled_sparse(kept))
        y, width = self.classes[z.row], z.shape[1]
        tables = []
        for rival in range(self.blocks + 1):
            mine, theirs = (y != rival) & (y < self.blocks), (y != rival) & (rival < self.blocks)
            rows = np.append(z.row[mine], z.row[theirs])
            columns = np.append((y * width + z.col)[mine], rival * width + z.col[theirs])
            values = np.append(z.data[mine], -z.data[theirs])
            table = csr_array((values, (rows, columns)), shape=(z.shape[0], self.blocks * width))
            tables.append(table[self.classes != rival])
        return csr_array(vstack(tables))

    def by_column(self, v: Flat, columns: int) -> Flat:
        return np.asarray(np.abs(v).reshape(self.blocks, -1)[:, :columns].max(axis=0))


def _maximise(value: Flat, rows: Any, least: Flat, bounds: tuple[float | None, float | None]) -> Flat | None:
    """The v that maximises value . v subject to rows v >= least; None where there is none."""
    found: Any = scipy("optimize").linprog(
        -value,
        A_ub=-rows,
        b_ub=-least,
        bounds=bounds,
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return None if found.status != 0 else np.asarray(found.x)


def large(v: Flat, fraction: float = 0.1) -> Columns:
    """Where |v| exceeds this fraction of its largest value."""
    size = np.abs(v)
    return np.flatnonzero(size > fraction * size.max(initial=0.0))
