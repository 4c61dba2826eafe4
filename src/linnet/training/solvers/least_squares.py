"""Least squares in closed form: of all weights with the least sum of squares, the shortest.

    A = sqrt(c) (X - mean) = U diag(s) V',   w = V diag(1/s) U' sqrt(c) (y - mean)

with 1/s taken for 0 where s is 0 to rounding.  Centred by the weighted means, the intercept drops out.  How far any
weights are from the best is known exactly: with g the gradient of f = (1/2N) |A w - sqrt(c) (y - mean)|^2 at (w, b),

    f(w, b) - min f = (N/2) sum_k (v_k . g)^2 / s_k^2,   and (mean residual)^2 / 2 for the intercept,

if all s_k are above rounding.  Columns that are exact integer combinations of others and a constant (one column a
category, or empty ones), are left out first: without them the least squares are the same.  If some s_k are still 0 to
rounding, nothing is proven along those v_k: the data do not determine whether f falls there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from linnet.cores import one_thread
from linnet.data.rows import Examples
from linnet.errors import InputError, NumericalError, option
from linnet.learners.entry import AUTO
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import Certificate, lost_digits
from linnet.training.history import Pass, Watcher
from linnet.training.objective import Objective

Flat = NDArray[np.float64]

# Up to this many entries the rows are copied and decomposed; beyond, they are brought to d rows block by block.
DECOMPOSED_AT_MOST = 1 << 24
COLUMNS_AT_MOST = 1 << 14
ROWS_AT_ONCE = 1 << 13
# A multiple this near to a whole number is tried as one.
NEARLY_WHOLE = 1e-3

TOO_LARGE = "the weights left the range of numbers: scale the features or the target down"


def fits(data: Examples | Objective) -> bool:
    """Whether the closed form is feasible."""
    return fits_shape(*data.rows.shape)


def fits_shape(n: int, d: int) -> bool:
    """Whether the closed form of n rows of d columns is feasible."""
    return d <= COLUMNS_AT_MOST or n * d <= DECOMPOSED_AT_MOST


@dataclass(frozen=True, eq=False)
class Decomposed:
    """Centred rows and targets in the axes of the rows: singular values s, axes V', and U' sqrt(c) (y - mean)."""

    means: Flat
    target_mean: float
    singular: Flat
    axes: Flat
    coordinates: Flat
    rows: int
    total: float
    triangle: Flat

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which singular values are above rounding."""
        largest = float(self.singular.max(initial=0.0))
        cutoff = max(self.rows, len(self.means)) * np.finfo(float).eps * largest
        return np.asarray(self.singular > cutoff)

    @property
    def full_rank(self) -> bool:
        return len(self.singular) == len(self.means) and bool(self.kept.all())

    def weights(self, alpha: float = 0.0) -> tuple[Flat, float]:
        """Weights and intercept of the least squares, or, with alpha, of squares + alpha |w|^2."""
        kept = self.kept if alpha == 0 else self.singular > 0
        s = self.singular[kept]
        w = (self.coordinates[kept] / (s + alpha / s)) @ self.axes[kept]
        return w, float(self.target_mean - self.means @ w)

    def narrowed(self, columns: NDArray[np.int64]) -> Decomposed:
        """The same rows with these columns only."""
        return _axes(self.triangle[:, [*columns, -1]], self.means[columns], self.target_mean, self.rows, self.total)

    def certificate(self, primal: float, gradient: Flat) -> Certificate:
        """How far (w, b) is from the least squares, by f and its gradient there; the intercept's slope comes last."""
        if not self.full_rank:
            rank = int(self.kept.sum())
            return Certificate(
                primal,
                -np.inf,
                f"the columns are collinear (rank {rank} of {len(self.means)}): where they cancel to rounding, the "
                "data do not determine whether the squares could still fall",
            )
        slope = gradient[:-1] - self.means * gradient[-1]  # with the intercept at its best
        along = (self.axes @ slope) / self.singular
        above = 0.5 * self.total * float(along @ along) + 0.5 * float(gradient[-1] ** 2)
        if not np.isfinite(primal - above):
            return Certificate(primal, -np.inf, "the squares leave the range of numbers")
        return Certificate(primal, primal - above)


def solve(problem: Objective, _: Descent, watch: Watcher) -> Found:
    """The squared objective without a penalty, in closed form, with its certificate."""
    began = perf_counter()
    axes = decomposed(examples_of(problem), intercept=problem.intercept)
    w, b = checked(*axes.weights())
    flat = np.append(w, b)
    certificate = _proof(problem, flat, axes)
    tally = Pass(0, 1, certificate.primal, perf_counter() - began)
    watch(tally)
    return Found(flat, [tally], True, certificate)


def certify(problem: Objective, weights: Flat) -> Certificate:
    """The squared objective of these weights without a penalty, and a lower bound on the optimum."""
    return _proof(problem, weights, decomposed(examples_of(problem), intercept=problem.intercept))


def _proof(problem: Objective, weights: Flat, axes: Decomposed) -> Certificate:
    value, gradient, _ = problem.smooth(weights)
    if not problem.intercept:
        gradient[-1] = 0.0
    if not axes.full_rank:
        columns = _independent(examples_of(problem), axes, intercept=problem.intercept)
        if columns is not None:
            axes, gradient = axes.narrowed(columns), gradient[[*columns, -1]]
    found = axes.certificate(value, gradient)
    # the mean of |residual| is at most the root of the mean square
    lost = lost_digits(weights[-1:], problem.targets) * sqrt(2.0 * max(value, 0.0))
    return found if found.reason else replace(found, dual=max(0.0, found.dual - lost))


def _independent(examples: Examples, axes: Decomposed, *, intercept: bool) -> NDArray[np.int64] | None:
    """Columns of full rank of which all others are sums of whole multiples (and a constant), without any rounding.

    None where there are others.
    """
    from scipy.linalg import qr, solve_triangular

    d, rank = len(axes.means), int(axes.kept.sum())
    table = axes.triangle[:, :d]
    lengths = np.sqrt((table * table).sum(axis=0))
    with one_thread():
        r, order = qr(table / np.where(lengths > 0, lengths, 1.0), mode="r", pivoting=True, check_finite=False)
        columns, others = order[:rank], order[rank:]
        if (r.diagonal()[:rank] == 0).any():
            return None
        multiples = solve_triangular(r[:rank, :rank], r[:rank, rank:], check_finite=False)
    multiples *= lengths[others] / lengths[columns][:, np.newaxis]
    whole = np.rint(multiples)
    if not (np.abs(multiples - whole) < NEARLY_WHOLE).all():
        return None
    constant = None
    for first in range(0, len(examples.targets), ROWS_AT_ONCE):
        block = dense(examples, slice(first, first + ROWS_AT_ONCE))
        off = block[:, others] - block[:, columns] @ whole
        if constant is None:
            constant = off[0] if intercept else np.zeros(len(others))
        if not (off == constant).all():
            return None
    return np.asarray(columns, dtype=np.int64)


def examples_of(problem: Objective) -> Examples:
    """The rows behind an objective."""
    return Examples(problem.rows, problem.targets, problem.sample_weights if len(problem.sample_weights) else None)


def checked(w: Flat, b: float) -> tuple[Flat, float]:
    """These weights, if they are numbers."""
    if not (np.isfinite(w).all() and np.isfinite(b)):
        raise NumericalError(TOO_LARGE)
    return w, b


def decomposed(examples: Examples, *, intercept: bool, rows_at_once: int | None = None) -> Decomposed:
    """The axes of the rows, which may be taken a block at a time."""
    reduced, means = triangle(examples, intercept=intercept, rows_at_once=rows_at_once)
    return _axes(reduced, means[:-1], float(means[-1]), examples.rows.shape[0], examples.total_weight)


def _axes(reduced: Flat, means: Flat, target_mean: float, rows: int, total: float) -> Decomposed:
    """The axes of rows [X y] less their means; the target comes last."""
    from scipy.linalg import svd  # takes longer to load than many a fit

    with one_thread():
        u, s, axes = svd(reduced[:, :-1], full_matrices=False, check_finite=False)
        coordinates = u.T @ reduced[:, -1]
    return Decomposed(means, target_mean, s, axes, coordinates, rows, total, reduced)


def triangle(examples: Examples, *, intercept: bool, rows_at_once: int | None = None) -> tuple[Flat, Flat]:
    """[X y] less its means, in d + 1 rows at most with the same least squares; and the means, 0 without an intercept.

    Block by block the rows become the triangle R of their QR decomposition. (X'X would serve too, but with half the
    digits.)
    """
    from scipy.linalg import qr

    n, d = examples.rows.shape
    weights = np.ones(n) if examples.weights is None else examples.weights
    if not fits(examples):
        raise InputError(
            f"the closed form needs a table of {d} x {d} numbers: take {option('solver', AUTO)}, which chooses another"
        )
    at_once = rows_at_once or (n if n * d <= DECOMPOSED_AT_MOST else max(2 * d, ROWS_AT_ONCE))
    blocks = [slice(first, first + at_once) for first in range(0, n, at_once)]

    def table(block: slice) -> Flat:
        return np.column_stack([dense(examples, block), examples.targets[block]])

    means = np.zeros(d + 1)
    reduced = np.empty((0, d + 1))
    with np.errstate(over="ignore", invalid="ignore"), one_thread():  # reported below, once
        if intercept:
            for block in blocks:
                means += weights[block] @ table(block) / examples.total_weight
        for block in blocks:
            reduced = np.vstack([reduced, (table(block) - means) * np.sqrt(weights[block])[:, np.newaxis]])
            if len(reduced) > d + 1:
                reduced = qr(reduced, mode="r", check_finite=False, overwrite_a=True)[0][: d + 1]
    if not np.isfinite(reduced).all():
        raise NumericalError(TOO_LARGE)
    return reduced, means


def dense(examples: Examples, block: slice) -> Flat:
    """Some of the rows as a table of double precision."""
    X = examples.rows.matrix(block)
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
