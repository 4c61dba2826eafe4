"""Separation: logistic regression without a penalty has a finite optimum only where the classes overlap.

With s_i = 1 or -1 the side of row i and z_i = (x_i, 1), the loss falls for ever along any v that has s_i z_i . v >= 0
for all rows and > 0 for one (Albert, Anderson 1984): quasi-complete separation, or complete if > 0 for all.  Of many
classes v has a part for each, and a row makes a point for each class k but its own, y: z_i (v_y - v_k).  Found by

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

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Examples
from linnet.learners.linear import LinearModel, logistic
from linnet.training.batch import one_thread
from linnet.training.reduction import problems
from linnet.training.solvers.least_squares import dense, triangle

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
    """How classes lie to each other."""

    OVERLAP = "overlap"
    QUASI = "quasi-complete"
    COMPLETE = "complete"
    SUSPECTED = "suspected"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Separation:
    """What was found, how, the columns that separate, and those that others make superfluous.

    `between` says which classes, where of many each was taken against the rest or against another.
    """

    kind: Kind
    method: str
    features: tuple[str, ...] = ()
    collinear: tuple[str, ...] = ()
    between: str = ""

    @property
    def separated(self) -> bool:
        """Whether there is no finite optimum, as far as is known."""
        return self.kind in (Kind.QUASI, Kind.COMPLETE, Kind.SUSPECTED)

    def __str__(self) -> str:
        words = {
            Kind.OVERLAP: "the classes overlap",
            Kind.QUASI: "the classes are separated but for rows in between (quasi-complete separation)",
            Kind.COMPLETE: "the classes are separated completely",
            Kind.SUSPECTED: "the classes seem separated",
            Kind.UNKNOWN: "whether the classes are separated is not known",
        }
        by = f", by {_listed(self.features)}" if self.features else ""
        also = f"; collinear columns: {_listed(self.collinear)}" if self.collinear else ""
        whose = f"{self.between}: " if self.between else ""
        return f"{whose}{words[self.kind]}{by} (told by {self.method}){also}"


def examine_model(examples: Examples, model: LinearModel, *, intercept: bool) -> Separation:
    """How the classes lie: all at once, or in each of the problems that were solved; the first that has no end."""
    assert model.classes is not None
    w, b, classes = model.weights, model.intercepts, model.classes
    asked = problems(len(classes), model.reduction)
    if asked[0].positive is None:
        return examine_classes(examples, w, b, intercept=intercept)
    found = []
    for number, problem in enumerate(asked):
        members, weights = problem.members(examples.targets, len(classes)), examples.weights
        if members is not None:
            weights = members.astype(np.float64) if weights is None else members * weights
        mine, positive = replace(examples, weights=weights), problem.positive or 0
        each = examine(mine, float(positive), w[:, number], float(b[number]), intercept=intercept)
        if len(asked) > 1:
            other = "the rest" if problem.negative is None else str(classes[problem.negative])
            each = replace(each, between=f"{classes[positive]} against {other}")
        found.append(each)
    return min(found, key=lambda each: (not each.separated, each.kind is not Kind.UNKNOWN))


def examine(examples: Examples, positive: float, w: Flat, b: float, *, intercept: bool) -> Separation:
    """How one class of these rows and the others lie, given where an unpenalised fit ended."""
    problem = _Sides(examples, positive, intercept)
    return _examined(problem, problem.signs * (problem.matrix @ w + b), np.abs(w))


def examine_classes(examples: Examples, w: Flat, b: Flat, *, intercept: bool) -> Separation:
    """How all classes of these rows lie, given where an unpenalised softmax of weights (d, classes) ended."""
    problem = _Classes(examples, len(b), intercept)
    scores = np.asarray(problem.matrix @ w + b)
    leads = scores[np.arange(len(scores)), problem.classes, np.newaxis] - scores
    return _examined(problem, leads[problem.rivals], w.max(axis=1) - w.min(axis=1))


def _examined(problem: _Points, margins: Flat, sizes: Flat) -> Separation:
    """By the margins that a fit gives the points, and how large its weights are, a number for each column."""
    intercept, d = problem.intercept, problem.examples.rows.shape[1]
    sizes = sizes * problem.units[:d]
    if problem.unknowns > COLUMNS_AT_MOST:
        if margins.min() > 0:
            return Separation(Kind.COMPLETE, problem.itself, problem.names(_large(sizes)))
        return Separation(Kind.UNKNOWN, f"nothing: more than {COLUMNS_AT_MOST} {problem.counted}")
    collinear = collinear_columns(problem.examples, intercept=intercept)
    kept = np.setdiff1d(np.arange(d), collinear)
    also = problem.names(collinear)
    small = problem.stored <= PROGRAMMED_AT_MOST
    if margins.min() > 0:
        found = problem.fewest(kept) if small else None
        columns = _large(sizes) if found is None else found
        return Separation(Kind.COMPLETE, problem.itself, problem.names(columns), also)
    step, gain = problem.newton(margins, kept)
    if gain < HALF_A_MARGIN:
        return Separation(Kind.OVERLAP, "multipliers made of the slopes", (), also)
    if small:
        kind, columns = problem.programme(kept)
        return Separation(kind, "a linear programme", problem.names(columns), also)
    columns = kept[_large(problem.by_column(step, len(kept)))]
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


class _Points(ABC):
    """The rows that count, as points that a separating v has all on one side."""

    itself: str
    counted: str

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
        self.units = np.append(np.where(largest > 0, largest, 1.0).reshape(-1), 1.0).astype(np.float64)

    @property
    @abstractmethod
    def unknowns(self) -> int:
        """How many numbers a v has, but for one intercept."""

    @property
    @abstractmethod
    def stored(self) -> int:
        """How many numbers all points have."""

    @abstractmethod
    def newton(self, margins: Flat, kept: Columns) -> tuple[Flat, float]:
        """q, for columns scaled to at most 1, and the most that it gains on a point; infinite where rounding hides."""

    @abstractmethod
    def signed(self, kept: Columns) -> Any:
        """The points, the rows of a linear programme, which takes them sparse."""

    @abstractmethod
    def by_column(self, v: Flat, columns: int) -> Flat:
        """How large v is, a number for each of so many columns."""

    def names(self, columns: Columns) -> tuple[str, ...]:
        known = self.examples.rows.names
        return tuple(known[j] if known else f"x{j}" for j in columns.tolist())

    def _scaled(self, block: slice, kept: Columns) -> Flat:
        """Rows as z = (x, 1), columns scaled to at most 1."""
        z = np.append(dense(self.examples, block) / self.units[:-1], np.ones((len(self.weights[block]), 1)), axis=1)
        return np.asarray(z[:, np.append(kept, len(self.units) - 1)] * np.append(np.ones(len(kept)), self.intercept))

    def _scaled_sparse(self, kept: Columns) -> Any:
        from scipy.sparse import csr_array, diags_array, hstack

        scaled = csr_array(self.matrix)[:, kept] @ diags_array(1.0 / self.units[kept])
        return hstack([scaled, np.ones((len(self.weights), 1))]) if self.intercept else scaled

    def _blocks(self) -> list[slice]:
        return [slice(first, first + ROWS_AT_ONCE) for first in range(0, len(self.weights), ROWS_AT_ONCE)]

    def programme(self, kept: Columns) -> tuple[Kind, Columns]:
        """Konis's linear programme, and whether the separation is complete."""
        signed = self.signed(kept)
        v = _maximise(signed.sum(axis=0), signed, np.zeros(signed.shape[0]), (-1.0, 1.0))
        if v is None:
            return Kind.UNKNOWN, kept[:0]
        margins = signed @ v
        if margins.max() <= NOT_ZERO or margins.min() < -ZERO * 10:
            return Kind.OVERLAP, kept[:0]
        few = self.fewest(kept)
        if few is not None:
            return Kind.COMPLETE, few
        return Kind.QUASI, kept[self.by_column(v, len(kept)) > NOT_ZERO]

    def fewest(self, kept: Columns) -> Columns | None:
        """Columns of which a v that separates completely can do without none; None where there is no such v.

        Those of the v with the least sum of |v_j| that keeps every point a distance off; of them, if they are few, the
        weakest are left out one by one as long as a v remains.
        """
        v = self._plane(kept)
        if v is None:
            return None
        kept, v = kept[_large(v, NOT_ZERO)], v[_large(v, NOT_ZERO)]
        if len(kept) > TRIED_AT_MOST:
            return kept
        for column in kept[np.argsort(v)]:
            others = kept[kept != column]
            if len(others) and self._plane(others) is not None:
                kept = others
        return kept

    def _plane(self, kept: Columns) -> Flat | None:
        """By column, v of least sum |v_j| that has all points at 1 or more; None where there is none."""
        from scipy.sparse import hstack

        signed = self.signed(kept)
        size = signed.shape[1]
        v = _maximise(-np.ones(2 * size), hstack([signed, -signed]), np.ones(signed.shape[0]), (0.0, None))
        return None if v is None else self.by_column(v[:size] - v[size:], len(kept))


class _Sides(_Points):
    """One class against the others: s_i z_i."""

    itself, counted = "the plane itself", "columns"

    def __init__(self, examples: Examples, positive: float, intercept: bool) -> None:
        super().__init__(examples, intercept)
        self.signs = np.where(self.examples.targets == positive, 1.0, -1.0)

    @property
    def unknowns(self) -> int:
        return self.examples.rows.shape[1]

    @property
    def stored(self) -> int:
        return len(self.examples.rows.values) + len(self.signs)

    def newton(self, margins: Flat, kept: Columns) -> tuple[Flat, float]:
        slopes = self.weights * logistic(-margins)
        size = len(kept) + 1
        table, right = np.zeros((size, size)), np.zeros(size)
        with one_thread():
            for block in self._blocks():
                z = self._scaled(block, kept)
                table += (z * slopes[block, np.newaxis]).T @ z
                right += (slopes[block] * self.signs[block]) @ z
            if not self.intercept:
                table[-1, -1] = 1.0
            q = np.asarray(np.linalg.lstsq(table, right, rcond=None)[0], dtype=np.float64)
            gain = max(float((self.signs[block] * (self._scaled(block, kept) @ q)).max()) for block in self._blocks())
        hidden = slopes.min() < LEAST_SLOPE * slopes.max()
        return q, float("inf") if hidden else gain

    def signed(self, kept: Columns) -> Any:
        from scipy.sparse import csr_array, diags_array

        return csr_array(diags_array(self.signs) @ self._scaled_sparse(kept))

    def by_column(self, v: Flat, columns: int) -> Flat:
        return np.abs(v[:columns])


class _Classes(_Points):
    """All classes at once: for every row and every class k but its own, y, z_i in the part of y and -z_i in that of k.

    The last class has no part: all classes alike up or down change nothing.
    """

    itself, counted = "the weights themselves", "columns times classes but one"

    def __init__(self, examples: Examples, classes: int, intercept: bool) -> None:
        super().__init__(examples, intercept)
        self.classes = self.examples.targets.astype(np.int64)
        self.parts = classes - 1
        self.rivals = np.ones((len(self.classes), classes), dtype=bool)
        self.rivals[np.arange(len(self.classes)), self.classes] = False

    @property
    def unknowns(self) -> int:
        return self.examples.rows.shape[1] * self.parts

    @property
    def stored(self) -> int:
        return 2 * self.parts * (len(self.examples.rows.values) + len(self.classes))

    def newton(self, margins: Flat, kept: Columns) -> tuple[Flat, float]:
        leads = np.full(self.rivals.shape, np.inf)
        leads[self.rivals] = margins
        slopes = self._slopes(leads)
        own, all_of_them = ~self.rivals, slopes.sum(axis=1)
        size = len(kept) + 1
        table, right = np.zeros((self.parts, size, self.parts, size)), np.zeros((self.parts, size))
        with one_thread():
            for block in self._blocks():
                z, a, y, total = self._scaled(block, kept), slopes[block], own[block], all_of_them[block]
                for k in range(self.parts):
                    right[k] += np.where(y[:, k], total, -a[:, k]) @ z
                    table[k, :, k] += (z * np.where(y[:, k], total, a[:, k])[:, np.newaxis]).T @ z
                    for m in range(k):
                        table[k, :, m] -= (z * (y[:, k] * a[:, m] + y[:, m] * a[:, k])[:, np.newaxis]).T @ z
            for k in range(self.parts):
                if not self.intercept:
                    table[k, -1, k, -1] = 1.0
                for m in range(k):
                    table[m, :, k] = table[k, :, m].T
            whole = self.parts * size
            found = np.linalg.lstsq(table.reshape(whole, whole), right.reshape(-1), rcond=None)[0]
            q = np.asarray(found, dtype=np.float64).reshape(self.parts, size)
            gain = max(self._gain(block, kept, q) for block in self._blocks())
        counted = slopes[self.rivals]
        hidden = counted.min() < LEAST_SLOPE * counted.max()
        return q.reshape(-1), float("inf") if hidden else gain

    def _slopes(self, leads: Flat) -> Flat:
        """c p_k of every class but the row's own, from the leads of its own over all."""
        e = np.exp(np.minimum(0.0, leads.min(axis=1, keepdims=True)) - np.where(self.rivals, leads, 0.0))
        return np.asarray(self.rivals * e / e.sum(axis=1, keepdims=True) * self.weights[:, np.newaxis])

    def _gain(self, block: slice, kept: Columns, q: Flat) -> float:
        scores = np.column_stack([self._scaled(block, kept) @ q.T, np.zeros(len(self.classes[block]))])
        leads = scores[np.arange(len(scores)), self.classes[block], np.newaxis] - scores
        return float(leads[self.rivals[block]].max())

    def signed(self, kept: Columns) -> Any:
        from scipy.sparse import coo_array, csr_array, vstack

        z = coo_array(self._scaled_sparse(kept))
        y, width = self.classes[z.row], z.shape[1]
        tables = []
        for rival in range(self.parts + 1):
            mine, theirs = (y != rival) & (y < self.parts), (y != rival) & (rival < self.parts)
            rows = np.append(z.row[mine], z.row[theirs])
            columns = np.append((y * width + z.col)[mine], rival * width + z.col[theirs])
            values = np.append(z.data[mine], -z.data[theirs])
            table = csr_array((values, (rows, columns)), shape=(z.shape[0], self.parts * width))
            tables.append(table[self.classes != rival])
        return csr_array(vstack(tables))

    def by_column(self, v: Flat, columns: int) -> Flat:
        return np.asarray(np.abs(v).reshape(self.parts, -1)[:, :columns].max(axis=0))


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
