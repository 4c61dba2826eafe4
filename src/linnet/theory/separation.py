"""Separation: logistic regression without a penalty has a finite optimum only where the classes overlap.

With s_i = 1 or -1 the side of row i and z_i = (x_i, 1), the loss falls for ever along any v that has s_i z_i . v >= 0
for all rows and > 0 for one (Albert, Anderson 1984): quasi-complete separation, or complete if > 0 for all.  Found by

    the plane   s_i (w . x_i + b) > 0 for all rows: the fit itself separates them
    overlap     multipliers l_i > 0 with sum_i l_i s_i z_i = 0 leave no such v.  The slopes a_i of the losses nearly are
                such; they become so as l_i = a_i (1 - s_i z_i . q), q = (sum a_i z_i z_i')^-1 sum_i a_i s_i z_i, if no
                s_i z_i . q reaches 1.  (Where the loss falls for ever, a Newton step gains a margin of 1, every time.)
    programme   maximise sum_i s_i z_i . v, s_i z_i . v >= 0, |v_j| <= 1 (Konis 2007): where it is not 0 the classes are
                separated, and the v_j that are not 0 name the columns
    divergence  of large data, where neither proof is at hand: a last Newton step that still gains half a margin

Collinear columns are another matter: the optimum is finite then, but not one point.  They are told by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.examples import Examples
from linnet.model import logistic
from linnet.training.analytic import dense, triangle
from linnet.training.batch import one_thread

Flat = NDArray[np.float64]
Columns = NDArray[np.int64]

# Tables of d x d numbers up to here; linear programmes up to so many stored numbers.
COLUMNS_AT_MOST = 2000
PROGRAMMED_AT_MOST = 1 << 20
ROWS_AT_ONCE = 1 << 12
# So many columns are tried one by one, whether the plane can do without them.
TRIED_AT_MOST = 30
# A slope below this is lost in the rounding of the sums that the proof of overlap rests on.
LEAST_SLOPE = 1e-10
# How much of the 1 that a Newton step gains on a separated row is taken for a proof, or a sign, of it.
HALF_A_MARGIN = 0.5
# Rows and columns are scaled to at most 1: what is 0 to the linear programme, and what is not.
ZERO, NOT_ZERO = 1e-9, 1e-6


class Kind(StrEnum):
    """How two classes lie to each other."""

    OVERLAP = "overlap"
    QUASI = "quasi-complete"
    COMPLETE = "complete"
    SUSPECTED = "suspected"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Separation:
    """What was found, how, the columns that separate, and those that others make superfluous."""

    kind: Kind
    method: str
    features: tuple[str, ...] = ()
    collinear: tuple[str, ...] = ()

    @property
    def separated(self) -> bool:
        """Whether there is no finite optimum, as far as is known."""
        return self.kind in (Kind.QUASI, Kind.COMPLETE, Kind.SUSPECTED)

    def __str__(self) -> str:
        words = {
            Kind.OVERLAP: "the classes overlap",
            Kind.QUASI: "the classes are separated but for rows on the plane (quasi-complete separation)",
            Kind.COMPLETE: "a plane separates the classes completely",
            Kind.SUSPECTED: "the classes seem separated",
            Kind.UNKNOWN: "whether the classes are separated is not known",
        }
        by = f", by {_listed(self.features)}" if self.features else ""
        also = f"; collinear columns: {_listed(self.collinear)}" if self.collinear else ""
        return f"{words[self.kind]}{by} (told by {self.method}){also}"


def examine(examples: Examples, positive: float, w: Flat, b: float, *, intercept: bool) -> Separation:
    """How the classes of these rows lie, given where an unpenalised fit ended."""
    problem = _Sides(examples, positive, intercept)
    margins = problem.signs * (problem.matrix @ w + b)
    d = problem.examples.rows.shape[1]
    if d > COLUMNS_AT_MOST:
        if margins.min() > 0:
            return Separation(Kind.COMPLETE, "the plane itself", problem.names(_large(w * problem.units[:d])))
        return Separation(Kind.UNKNOWN, f"nothing: more than {COLUMNS_AT_MOST} columns")
    collinear = collinear_columns(problem.examples, intercept=intercept)
    kept = np.setdiff1d(np.arange(d), collinear)
    also = problem.names(collinear)
    small = len(problem.examples.rows.values) + len(margins) <= PROGRAMMED_AT_MOST
    if margins.min() > 0:
        found = problem.fewest(kept) if small else None
        columns = _large(w * problem.units[:d]) if found is None else found
        return Separation(Kind.COMPLETE, "the plane itself", problem.names(columns), also)
    step, gain = problem.newton(margins, kept)
    if gain < HALF_A_MARGIN:
        return Separation(Kind.OVERLAP, "multipliers made of the slopes", (), also)
    if small:
        kind, columns = problem.programme(kept)
        return Separation(kind, "a linear programme", problem.names(columns), also)
    columns = kept[_large(step[: len(kept)])]
    return Separation(Kind.SUSPECTED, "a divergence test, which is no proof", problem.names(columns), also)


def collinear_columns(examples: Examples, *, intercept: bool) -> Columns:
    """Columns without which the others say the same: sums of them or, beside an intercept, constants."""
    from scipy.linalg import qr

    d = examples.rows.shape[1]
    reduced, means = triangle(examples, intercept=intercept)
    table = reduced[:, :d]
    lengths = np.linalg.norm(table, axis=0)
    level = np.sqrt(lengths**2 + examples.total_weight * means[:d] ** 2)  # before centring: what rounding refers to
    precision = max(examples.rows.shape) * np.finfo(float).eps
    constant = lengths <= precision * level
    left = np.flatnonzero(~constant)
    if not len(left):
        return np.flatnonzero(constant)
    with one_thread():
        r, pivots = qr(table[:, left] / lengths[left], mode="r", pivoting=True, check_finite=False)
    size = np.abs(r.diagonal())
    rank = int((size > precision * np.sqrt(len(left)) * size[0]).sum())
    return np.sort(np.append(np.flatnonzero(constant), left[pivots[rank:]]))


class _Sides:
    """The rows that count, as signed points."""

    def __init__(self, examples: Examples, positive: float, intercept: bool) -> None:
        rows, targets, weights = examples.rows, examples.targets, examples.weights
        if weights is not None and not weights.all():
            at = np.flatnonzero(weights)
            rows, targets, weights = type(rows).of(rows.matrix(at), rows.names), targets[at], weights[at]
        self.examples = Examples(rows, targets, weights)
        self.matrix = rows.matrix()
        self.signs = np.where(targets == positive, 1.0, -1.0)
        self.weights = np.ones(len(targets)) if weights is None else weights
        self.intercept = intercept
        largest: Any = abs(self.matrix).max(axis=0)
        largest = largest.toarray() if hasattr(largest, "toarray") else largest
        self.units = np.append(np.where(largest > 0, largest, 1.0).reshape(-1), 1.0).astype(np.float64)

    def names(self, columns: Columns) -> tuple[str, ...]:
        known = self.examples.rows.names
        return tuple(known[j] if known else f"x{j}" for j in columns.tolist())

    def _points(self, block: slice, kept: Columns) -> Flat:
        """Rows as z = (x, 1), columns scaled to at most 1."""
        z = np.append(dense(self.examples, block) / self.units[:-1], np.ones((len(self.signs[block]), 1)), axis=1)
        return np.asarray(z[:, np.append(kept, len(self.units) - 1)] * np.append(np.ones(len(kept)), self.intercept))

    def _blocks(self) -> list[slice]:
        return [slice(first, first + ROWS_AT_ONCE) for first in range(0, len(self.signs), ROWS_AT_ONCE)]

    def newton(self, margins: Flat, kept: Columns) -> tuple[Flat, float]:
        """q, for columns scaled to at most 1, and the most that it gains on a row; infinite where rounding hides it."""
        slopes = self.weights * logistic(-margins)
        size = len(kept) + 1
        table, right = np.zeros((size, size)), np.zeros(size)
        with one_thread():
            for block in self._blocks():
                z = self._points(block, kept)
                table += (z * slopes[block, np.newaxis]).T @ z
                right += (slopes[block] * self.signs[block]) @ z
            if not self.intercept:
                table[-1, -1] = 1.0
            q = np.asarray(np.linalg.lstsq(table, right, rcond=None)[0], dtype=np.float64)
            gain = max(float((self.signs[block] * (self._points(block, kept) @ q)).max()) for block in self._blocks())
        hidden = slopes.min() < LEAST_SLOPE * slopes.max()
        return q, float("inf") if hidden else gain

    def _signed(self, kept: Columns) -> Any:
        """s_i z_i, the rows of a linear programme, which takes them sparse."""
        from scipy.sparse import csr_array, diags_array, hstack

        scaled = csr_array(self.matrix)[:, kept] @ diags_array(1.0 / self.units[kept])
        points = hstack([scaled, np.ones((len(self.signs), 1))]) if self.intercept else scaled
        return csr_array(diags_array(self.signs) @ points)

    def programme(self, kept: Columns) -> tuple[Kind, Columns]:
        """Konis's linear programme, and whether the separation is complete."""
        signed = self._signed(kept)
        v = _maximise(signed.sum(axis=0), signed, np.zeros(len(self.signs)), (-1.0, 1.0))
        if v is None:
            return Kind.UNKNOWN, kept[:0]
        margins = signed @ v
        if margins.max() <= NOT_ZERO or margins.min() < -ZERO * 10:
            return Kind.OVERLAP, kept[:0]
        few = self.fewest(kept)
        if few is not None:
            return Kind.COMPLETE, few
        return Kind.QUASI, kept[np.abs(v[: len(kept)]) > NOT_ZERO]

    def fewest(self, kept: Columns) -> Columns | None:
        """Columns of which a plane that separates completely can do without none; None where there is no such plane.

        Those of the plane with the least sum of |v_j| that keeps every row a distance off; of them, if they are few,
        the weakest are left out one by one as long as a plane remains.
        """
        v = self._plane(kept)
        if v is None:
            return None
        kept, v = kept[_large(v, NOT_ZERO)], v[_large(v, NOT_ZERO)]
        if len(kept) > TRIED_AT_MOST:
            return kept
        for column in kept[np.argsort(np.abs(v))]:
            others = kept[kept != column]
            if len(others) and self._plane(others) is not None:
                kept = others
        return kept

    def _plane(self, kept: Columns) -> Flat | None:
        """v of least sum |v_j| with s_i z_i . v >= 1 for all rows, without its intercept; None where there is none."""
        from scipy.sparse import hstack

        signed = self._signed(kept)
        size = signed.shape[1]
        v = _maximise(-np.ones(2 * size), hstack([signed, -signed]), np.ones(len(self.signs)), (0.0, None))
        return None if v is None else (v[:size] - v[size:])[: len(kept)]


def _maximise(value: Flat, rows: Any, least: Flat, bounds: tuple[float | None, float | None]) -> Flat | None:
    """The v of largest value . v with rows v >= least; None where there is none."""
    from scipy.optimize import linprog

    found: Any = linprog(
        -value,
        A_ub=-rows,
        b_ub=-least,
        bounds=bounds,
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return None if found.status != 0 else np.asarray(found.x)


def _large(v: Flat, share: float = 0.1) -> Columns:
    """Where v is at least this share of its largest."""
    size = np.abs(v)
    return np.flatnonzero(size > share * size.max(initial=0.0))


def _listed(names: tuple[str, ...], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
