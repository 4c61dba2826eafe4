"""Examples as points z_i = y_i (x_i, 1): a plane v = (w, b) separates the classes if z_i . v > 0 for every i.

This is the augmented space: the intercept is a weight like any other, on a column of ones, and is not bounded.

The signs of sums are proven.  The error of a floating-point sum of k products is at most k u / (1 - k u) times the sum
of their absolute values, u = 2^-53, in any order (Higham 2002, Accuracy and stability of numerical algorithms, 3.1).  A
sum farther from 0 than that has a certain sign; the others are recomputed exactly, in fractions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.labels import Labels
from linnet.data.rows import NO_STARTS, Rows
from linnet.data.sparse_matrices import csr_of, is_sparse
from linnet.errors import InputError
from linnet.kernels import dual_logistic as dual
from linnet.kernels import dual_svm as margins
from linnet.kernels.fingerprints import fingerprints

Flat = NDArray[np.float64]
Indices = NDArray[np.int64]

EPSILON, TINY = float(np.finfo(float).eps), float(np.finfo(float).smallest_subnormal)
# All integers up to this one are floating-point numbers.
WHOLE = 2**53
# The most entries of uncertain rows that are added up in fractions, which takes about a second.
UNCERTAIN_ENTRIES = 1 << 19
# The rows that are looked at together.
AT_ONCE = 1 << 16
# A bound on the rounding error of a norm and a quotient.
OUTWARD = 1e-12
NO_NUMBERS = "X holds values that are not numbers: encode them, for example with linnet.OneHot or linnet.BagOfWords"
TOO_LARGE = "X holds integers beyond 2**53, which float64 cannot represent exactly: scale them down"


@dataclass(frozen=True, eq=False)
class Points:
    """Rows without stored zeros, the sign of each, and the two classes, the negative one first."""

    rows: Rows
    signs: Flat
    classes: tuple[Any, Any]

    @property
    def n(self) -> int:
        return self.rows.shape[0]

    @property
    def d(self) -> int:
        return self.rows.shape[1]

    def entries_of(self, row: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """The columns and values of a row, without zeros."""
        if self.rows.dense:
            values = self.rows.values[row * self.d : (row + 1) * self.d]
            columns = np.flatnonzero(values)
            return columns, values[columns]
        at = slice(int(self.rows.starts[row]), int(self.rows.starts[row + 1]))
        return self.rows.ids[at], self.rows.values[at]

    def squared_lengths(self) -> Flat:
        """|x_i|^2, infinite where it overflows."""
        into = np.empty(self.n)
        dual.squared_lengths(self.rows.values, self.rows.starts, self.d, self.rows.dense, into)
        return into

    def radius(self) -> float:
        """R, the length of the longest point, rounded up."""
        return float(np.sqrt(self.squared_lengths().max() + 1.0)) * (1.0 + (self.d + 4) * EPSILON)

    def scores(self, w: Flat) -> Flat:
        """w . x_i, added in the same order on every machine."""
        into = np.empty(self.n)
        margins.scores_as_they_stand(*self.rows.layout, np.ascontiguousarray(w), into)
        return into

    def combination(self, amounts: Flat) -> tuple[Flat, float]:
        """sum_i amounts_i z_i."""
        into = np.zeros(self.d)
        margins.combination(*self.rows.layout, np.ascontiguousarray(amounts * self.signs), into)
        return into, float((amounts * self.signs).sum())

    def sure_margins(self, w: Flat, b: float) -> Flat:
        """Lower bounds of z_i . (w, b), positive wherever it is, except for very many uncertain rows or underflow."""
        low, doubtful = self.scores(w), list[Indices]()
        for first in range(0, self.n, AT_ONCE):  # few at once: of all rows, the numbers here would be many
            at = slice(first, first + AT_ONCE)
            with np.errstate(over="ignore", invalid="ignore"):
                found = self.signs[at] * (low[at] + b)
                sizes = self._sizes(first, first + len(found), np.abs(w)) + abs(b)
                terms = self.d if self.rows.dense else np.diff(self.rows.starts[first : first + len(found) + 1])
                off = (terms + 4) * (EPSILON * sizes + TINY)
                low[at] = found - off
                doubtful.append(first + np.flatnonzero(~(np.abs(found) > off) | ~np.isfinite(off)))
        uncertain = np.concatenate(doubtful)
        starts = self.rows.starts
        entries = self.d * len(uncertain) if self.rows.dense else int((starts[uncertain + 1] - starts[uncertain]).sum())
        if entries > UNCERTAIN_ENTRIES:
            low[uncertain] = -np.inf
            return low
        for row in uncertain.tolist():
            low[row] = _rounded_down(self.exact_margin(row, w, b))
        return low

    def _sizes(self, first: int, last: int, w: Flat) -> Flat:
        """sum_j |x_ij| w_j of some of the rows."""
        values, ids, starts, d, dense = self.rows.layout
        begin, end = (first * d, last * d) if dense else (int(starts[first]), int(starts[last]))
        into = np.empty(last - first)
        shifted = starts if dense else starts[first : last + 1] - begin
        margins.scores_as_they_stand(
            np.abs(values[begin:end]), ids if dense else ids[begin:end], shifted, d, dense, w, into
        )
        return into

    def exact_margin(self, row: int, w: Flat, b: float) -> Fraction:
        columns, values = self.entries_of(row)
        total = Fraction(float(b))
        for x, weight in zip(values.tolist(), w[columns].tolist(), strict=True):
            if weight:
                total += Fraction(x) * Fraction(weight)
        return total if self.signs[row] > 0 else -total

    def twins(self) -> tuple[Indices, int]:
        """The first pair of equal rows of opposite classes, empty if there is none, and the number of such rows."""
        order, begins = self._kinds()
        positive = self.signs[order] > 0
        firsts = [np.minimum.reduceat(np.where(mine, order, self.n), begins) for mine in (~positive, positive)]
        both = np.flatnonzero(np.maximum(*firsts) < self.n)
        if not len(both):
            return np.empty(0, dtype=np.int64), 0
        pairs = np.stack([first[both] for first in firsts])
        many = np.append(begins, self.n)
        return np.sort(pairs[:, int(pairs.max(axis=0).argmin())]), int((many[both + 1] - many[both]).sum())

    def _kinds(self) -> tuple[Indices, Indices]:
        """The rows, equal ones together and in their order; and where in that each kind begins."""
        numbers, copies = np.empty(self.n, dtype=np.uint64), np.empty(self.n, dtype=np.uint8)
        # a hash of all bits of the row: a sum would lose small values beside large ones
        fingerprints(*self.rows.layout, np.zeros(self.n), np.empty(0), numbers)
        order = np.argsort(numbers, kind="stable")
        keys = numbers.astype(np.float64)
        del numbers
        margins.mark_copies(*self.rows.layout, order, keys, copies)
        return order, np.flatnonzero(copies == 0)


def read(X: Any, y: Any) -> tuple[Rows, Labels, Flat]:
    """Rows without stored zeros, the labels, and the class number of each row."""
    if is_sparse(X):
        checked = csr_of(X)
        rows = Rows.of_csr(replace(checked, data=_exact(checked.data)))
    else:
        rows = Rows.of(_numbers(X), tuple(map(str, getattr(X, "columns", ()))))
    rows.check_finite()
    targets = _targets(y)
    if targets.ndim != 1 or len(targets) != rows.shape[0]:
        raise InputError(f"y must have one label for each of the {rows.shape[0]} rows; its shape is {targets.shape}")
    if not len(targets):
        raise InputError("X has no rows: pass at least one")
    labels, codes = Labels.of(targets)
    return without_zeros(rows), labels, codes


def _numbers(X: Any) -> Any:
    """X as an array of numbers that floating point represents exactly; else an error."""
    given = np.asanyarray(X)
    made = _exact(given)
    if given is not X and given.ndim == 2 and _hidden(X, made):
        raise InputError(TOO_LARGE)
    return made


def _exact(given: NDArray[Any]) -> NDArray[Any]:
    """Numbers that floating point represents exactly; else an error."""
    made = given
    if given.dtype.kind in "OUS":
        try:
            made = given.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InputError(NO_NUMBERS) from None
    elif given.dtype.kind not in "biuf":
        raise InputError(NO_NUMBERS)
    elif given.dtype.itemsize > 8:
        raise InputError(f"X holds numbers of type {given.dtype}, which do not fit into float64: convert them")
    if _beyond(given):
        raise InputError(TOO_LARGE)
    return made


def _beyond(numbers: NDArray[Any]) -> bool:
    """Whether an integer among them is too large to be represented exactly."""
    if numbers.dtype.kind == "O":
        return any(isinstance(each, Integral) and abs(int(each)) > WHOLE for each in numbers.reshape(-1).tolist())
    return bool(numbers.dtype.kind in "iu" and numbers.size and (numbers.max() > WHOLE or numbers.min() < -WHOLE))


def _hidden(X: Any, made: NDArray[Any]) -> bool:
    """Whether integers too large were rounded when lists or the columns of a frame became one array."""
    if made.dtype.kind != "f" or not (np.abs(made) >= WHOLE).any():
        return False
    if hasattr(X, "columns"):
        return any(_beyond(np.asarray(X[name])) for name in X.columns)
    return _beyond(np.asarray(X, dtype=object))


def _targets(y: Any) -> NDArray[Any]:
    """The labels as an array of one type, none of them missing; else an error."""
    targets = np.asarray(y)
    if targets.dtype.kind == "U" and isinstance(y, list | tuple):  # NumPy has turned numbers and NaN into text
        targets = np.asarray(y, dtype=object)
    if targets.dtype.kind == "O":
        missing = any(label is None or (isinstance(label, float) and label != label) for label in targets.tolist())
    else:
        missing = targets.dtype.kind == "f" and not np.isfinite(targets).all()
    if missing:
        raise InputError("y holds labels that are missing or infinite: drop those rows")
    if targets.dtype.kind == "O" and not all(isinstance(label, str) for label in targets.tolist()):
        texts = any(isinstance(label, str) for label in targets.tolist())
        targets = np.array(targets.tolist())
        if texts or targets.dtype.kind not in "biuf":
            raise InputError("the labels in y mix text and other types: convert them to text or to numbers")
    return targets


def without_zeros(rows: Rows) -> Rows:
    if rows.dense or rows.values.all():
        return rows
    matrix = rows.matrix().copy()
    matrix.eliminate_zeros()
    return Rows.of(matrix, rows.names)


def _rounded_down(number: Fraction) -> float:
    """The largest floating-point number not above this one."""
    try:
        near = float(number)
    except OverflowError:
        return float(np.finfo(float).max) if number > 0 else -np.inf
    return float(np.nextafter(near, -np.inf)) if Fraction(near) > number else near


def norm(v: Flat) -> float:
    """|v|, added in the same order on every machine, without overflow."""
    largest = float(np.abs(v).max(initial=0.0))
    if largest == 0.0 or not np.isfinite(largest):
        return largest
    into = np.empty(1)
    dual.squared_lengths(v / largest, NO_STARTS, len(v), True, into)
    return largest * float(np.sqrt(into[0]))
