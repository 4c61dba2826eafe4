"""Least squares in closed form: of all weights with the least sum of squares, the shortest.

    A = sqrt(c) (X - mean) = U diag(s) V',   w = V diag(1/s) U' sqrt(c) (y - mean)

with 1/s taken for 0 where s is 0 to rounding.  Centred by the weighted means, the intercept drops out.  Whether s is 0
is decided by the digits that X has: a column of mean 10^5 and deviation 10 is known to 10^-12 of its deviation at best,
so that a, b and a + b are collinear though no multiples of the numbers as given add up to 0 exactly.  How far any
weights are from the best is known: with r the residuals at (w, b), and g = A' sqrt(c) r / N the gradient of
f = (1/2N) |A w - sqrt(c) (y - mean)|^2,

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

from linnet.cores import one_thread, scipy
from linnet.data.rows import Examples
from linnet.errors import InputError, NumericalError, option
from linnet.kernels.sparse_entries import largest_in_table
from linnet.learners.entry import AUTO
from linnet.training.descent import Descent, Found
from linnet.training.duality_gap import Certificate
from linnet.training.exact_products import exact_product
from linnet.training.history import Pass, Watcher
from linnet.training.objective import Objective
from linnet.training.threads import added, over_parts

Flat = NDArray[np.float64]

# Up to this many entries the rows are copied and decomposed; beyond, they are brought to d rows block by block.
DECOMPOSED_AT_MOST = 1 << 24
COLUMNS_AT_MOST = 1 << 14
ROWS_AT_ONCE = 1 << 13
# What is taken for rounding, beside the most that one operation rounds by.
LAST_DIGITS = 2.0
EPS = float(np.finfo(np.float64).eps)
# A multiple this near to a whole number is tried as one.
NEARLY_WHOLE = 1e-3
# What A is off by may shorten no |A v| by more than this fraction of it, or nothing is known of it.
KNOWN = 0.5

TOO_LARGE = "the weights left the range of numbers: scale the features or the target down"


def fits(data: Examples | Objective) -> bool:
    """Whether the closed form is feasible."""
    return fits_shape(*data.rows.shape)


def fits_shape(n: int, d: int) -> bool:
    """Whether the closed form of n rows of d columns is feasible."""
    return d <= COLUMNS_AT_MOST or n * d <= DECOMPOSED_AT_MOST


@dataclass(frozen=True, eq=False)
class Decomposed:
    """Centred rows [A, sqrt(c) (y - mean)] in at most d + 1 rows, the `triangle`, and A in its axes.

    `singular`, `axes` and `coordinates` (s, V' and U' y) are those of A with every column in its unit, which is what
    its length is known to: then a singular value of 1 is rounding.  In a wide table, whose columns are collinear
    anyway, all units are 1, and what is `negligible` is relative to the largest singular value.
    """

    means: Flat
    target_mean: float
    units: Flat
    singular: Flat
    axes: Flat
    coordinates: Flat
    negligible: float
    rows: int
    total: float
    triangle: Flat

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which singular values are above rounding."""
        return np.asarray(self.singular > self.negligible)

    @property
    def full_rank(self) -> bool:
        return len(self.singular) == len(self.means) and bool(self.kept.all())

    def weights(self, alpha: float = 0.0) -> tuple[Flat, float]:
        """Weights and intercept of the least squares, or, with alpha, of squares + alpha |w|^2."""
        if alpha == 0 and self.full_rank:
            w = ((self.coordinates / self.singular) @ self.axes) / self.units
        else:  # which weights are the shortest depends on the lengths of the columns
            s, axes, coordinates = self.singular, self.axes, self.coordinates
            if (self.units != 1.0).any():
                u, s, axes = _decomposition(self.triangle[:, :-1])
                coordinates = u.T @ self.triangle[:, -1]
            rank, own = int(self.kept.sum()), max(self.rows, len(self.means)) * EPS * float(s.max(initial=0.0))
            kept = s > (0.0 if alpha > 0 else own)
            kept[len(s) if alpha > 0 else rank :] = False
            s = s[kept]
            w = (coordinates[kept] / (s + alpha / s)) @ axes[kept]
        return w, float(self.target_mean - exact_product(self.means, w))

    def narrowed(self, columns: NDArray[np.int64]) -> Decomposed:
        """The same rows with these columns only."""
        reduced = self.triangle[:, [*columns, -1]]
        return _axes(reduced, self.means[columns], self.target_mean, self.units[columns], self.rows, self.total)

    def inverse(self) -> Flat:
        """(A'A)^-1."""
        part = (self.axes.T / self.singular) / self.units[:, np.newaxis]
        return np.asarray(part @ part.T)

    def certificate(self, at: Residuals, gradient: Flat) -> Certificate:
        """How far weights are from the least squares, by their residuals and the gradient g by these columns.

        Residuals that are off are off by as much along every axis.  Sums of g are off by their rounding over s.  And A
        is known to `own` of its columns' lengths: no |A v| is below 1 - own / s of what it is here.
        """
        d = len(self.means)
        lengths = np.sqrt((self.triangle[:, :-1] ** 2).sum(axis=0))
        least = float(self.singular.min(initial=np.inf)) / float((lengths / self.units).max(initial=1.0))
        own = max(self.rows, d) * EPS * sqrt(d) / least if least > 0 else np.inf
        if not self.full_rank or own > KNOWN:
            return Certificate(at.value, -np.inf, collinear(int(self.kept.sum()), d))
        along = (self.axes @ (gradient / self.units)) / self.singular
        return at.certificate(sqrt(self.total * float(along @ along)), least, own)


@dataclass(frozen=True, eq=False)
class Residuals:
    """The residuals of weights: half their mean square, their mean, the gradient by the centred columns; how far each
    may be off for rounding, and all alike for that of a large intercept; how many of them were added in a row."""

    value: float
    mean: float
    gradient: Flat
    off: float
    shift: float
    summed: int

    def certificate(self, reach: float, least: float, own: float) -> Certificate:
        """By |A v| of the v that leads to the optimum, the least |A v| of a v of length 1, with columns of length 1,
        and the fraction that |A v| may be smaller by than it is here."""
        primal, d = self.value, len(self.gradient)
        off = self.off + sqrt(d) * (self.summed + 4.0) * EPS * sqrt(2.0 * primal) / least
        # as arrays: their squares may be infinite, those of Python's floats are an error
        lower, upper = (
            np.array([reach, self.mean]),
            np.array([(reach + off) / (1.0 - own), abs(self.mean) + self.off + self.shift]),
        )
        with np.errstate(over="ignore"):
            seen, above = 0.5 * float(lower @ lower), 0.5 * float(upper @ upper)
        if not np.isfinite(primal - above):
            return Certificate(primal, -np.inf, "the squares leave the range of numbers")
        rounding = self.off * (sqrt(2.0 * primal) + self.off) + 128.0 * EPS * primal
        rounding += self.shift * (abs(self.mean) + self.off + self.shift)
        return Certificate(primal, max(0.0, primal - above - 2.0 * rounding), rounding=rounding + (above - seen))


def collinear(rank: int, columns: int) -> str:
    """Why nothing is proven of least squares of this rank."""
    return (
        f"the columns are collinear (rank {rank} of {columns}): where they cancel to rounding, the data do not "
        "determine whether the squares could still fall"
    )


def solve(problem: Objective, _: Descent, watch: Watcher) -> Found:
    """The squared objective without a penalty, in closed form, with its certificate."""
    began = perf_counter()
    axes = decomposed(examples_of(problem), intercept=problem.intercept)
    flat, certificate = solved(problem, axes)
    tally = Pass(0, 1, certificate.primal, perf_counter() - began)
    watch(tally)
    return Found(flat, [tally], True, certificate)


def solved(problem: Objective, axes: Decomposed) -> tuple[Flat, Certificate]:
    """The weights by the axes of its rows, and what they prove."""
    w, b = checked(*axes.weights())
    flat = np.append(w, b)
    return flat, _proof(problem, flat, axes)


def certify(problem: Objective, weights: Flat) -> Certificate:
    """The squared objective of these weights without a penalty, and a lower bound on the optimum."""
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is a reason
        return _proof(problem, weights, decomposed(examples_of(problem), intercept=problem.intercept))


def _proof(problem: Objective, weights: Flat, axes: Decomposed) -> Certificate:
    examples = examples_of(problem)
    at = residuals(examples, axes.means, axes.target_mean, weights, intercept=problem.intercept)
    gradient = at.gradient
    if not axes.full_rank:
        columns = _independent(examples, axes, intercept=problem.intercept)
        if columns is not None:
            axes, gradient = axes.narrowed(columns), gradient[columns]
    return axes.certificate(at, gradient)


def residuals(examples: Examples, means: Flat, target_mean: float, weights: Flat, *, intercept: bool) -> Residuals:
    """Of rows and targets less these means, block by block: large means would cancel, and digits with them."""
    w, n = weights[:-1], len(examples.targets)
    b = exact_product(np.append(means, [1.0, -1.0]), np.append(w, [weights[-1], target_mean]))

    def part(first: int, last: int) -> tuple[float, float, Flat, Flat, Flat]:
        block = slice(first, last)
        table = dense(examples, block) - means
        target = examples.targets[block] - target_mean
        r = table @ w + b - target
        c = np.ones(last - first) if examples.weights is None else examples.weights[block]
        largest = np.zeros(len(w))
        largest_in_table(table.reshape(-1), largest)
        sizes = np.append(largest, np.abs(target).max())
        return float((c * r * r).sum()), float((c * r).sum()), (c * r) @ table, c @ table, sizes

    parts = over_parts(part, n, ROWS_AT_ONCE)
    values, means_of_parts, gradients, centres, largest_of_parts = zip(*parts, strict=True)
    value, mean, gradient, centre = sum(values), sum(means_of_parts), added(gradients), added(centres)
    largest = np.max(largest_of_parts, axis=0)
    total = examples.total_weight
    if intercept:  # the means are rounded
        gradient -= centre * (mean / total)
    else:
        mean = 0.0
    sizes = np.abs(np.append(w, -1.0)) * largest
    off = 0.5 * EPS * (len(w) + 8.0) * (float(sizes.sum()) + abs(b))
    shift, summed = EPS * abs(float(weights[-1])), min(n, ROWS_AT_ONCE) + len(parts)
    return Residuals(0.5 * value / total, mean / total, gradient / total, off, shift, summed)


def _independent(examples: Examples, axes: Decomposed, *, intercept: bool) -> NDArray[np.int64] | None:
    """Columns of full rank of which all others are sums of whole multiples (and a constant), without any rounding.

    None where there are others.
    """
    linalg = scipy("linalg")

    d, rank = len(axes.means), int(axes.kept.sum())
    table = axes.triangle[:, :d]
    lengths = np.sqrt((table * table).sum(axis=0))
    with one_thread():
        r, order = linalg.qr(table / np.where(lengths > 0, lengths, 1.0), mode="r", pivoting=True, check_finite=False)
        columns, others = order[:rank], order[rank:]
        if (r.diagonal()[:rank] == 0).any():
            return None
        multiples = linalg.solve_triangular(r[:rank, :rank], r[:rank, rank:], check_finite=False)
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
    reduced, means, sizes = triangle(examples, intercept=intercept, rows_at_once=rows_at_once)
    units = units_of(examples, _lengths(reduced[:, :-1]), sizes)
    return _axes(reduced, means[:-1], float(means[-1]), units, examples.rows.shape[0], examples.total_weight)


def decomposed_outputs(examples: Examples, *, intercept: bool) -> list[Decomposed]:
    """The same for each of several targets a row: the axes are those of the first."""
    reduced, means, sizes = triangle(examples, intercept=intercept)
    n, d = examples.rows.shape
    units = units_of(examples, _lengths(reduced[:, :d]), sizes)
    first = _axes(reduced[:, : d + 1], means[:d], float(means[d]), units, n, examples.total_weight)
    u = _decomposition(reduced[:, :d] / units)[0]
    return [
        replace(
            first,
            target_mean=float(means[at]),
            coordinates=u.T @ reduced[:, at],
            triangle=np.column_stack([reduced[:, :d], reduced[:, at]]),
        )
        for at in range(d, len(means))
    ]


def _lengths(table: Flat) -> Flat:
    return np.asarray(np.sqrt((table * table).sum(axis=0)))


def units_of(examples: Examples, lengths: Flat, sizes: Flat) -> Flat:
    """What the lengths of the centred columns, which are these, are known to."""
    (n, d), rows = examples.rows.shape, examples.rows
    if n <= d:
        return np.ones(d)
    # each entry as given may be off by some units of its last digit
    entries = np.finfo(rows.dtype).eps * sizes[:d] + (0.0 if rows.resolution is None else rows.resolution)
    units = LAST_DIGITS * (entries * sqrt(examples.total_weight) + n * EPS * lengths)
    return np.where(units > 0, units, 1.0)


def _axes(reduced: Flat, means: Flat, target_mean: float, units: Flat, rows: int, total: float) -> Decomposed:
    """The axes of rows [X y] less their means; the target comes last."""
    u, s, axes = _decomposition(reduced[:, :-1] / units)
    wide = rows <= len(means)
    negligible = len(means) * EPS * float(s.max(initial=0.0)) if wide else 1.0
    coordinates = u.T @ reduced[:, -1]
    return Decomposed(means, target_mean, units, s, axes, coordinates, negligible, rows, total, reduced)


def _decomposition(table: Flat) -> tuple[Flat, Flat, Flat]:
    """U, s and V' of a table."""
    with one_thread():
        u, s, axes = scipy("linalg").svd(table, full_matrices=False, check_finite=False)
    return u, s, axes


def triangle(examples: Examples, *, intercept: bool, rows_at_once: int | None = None) -> tuple[Flat, Flat, Flat]:
    """[X y] less its means, in d + 1 rows at most with the same least squares; the means, 0 without an intercept; and
    the largest |entry| of every column.  Of k targets a row, d + k rows.

    Block by block the rows become the triangle R of their QR decomposition. (X'X would serve too, but with half the
    digits.)
    """
    qr = scipy("linalg").qr

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

    width = d + (1 if examples.targets.ndim == 1 else examples.targets.shape[1])
    means, rest, sizes = np.zeros(width), np.zeros(width), np.zeros(width)
    reduced = np.empty((0, width))
    with np.errstate(over="ignore", invalid="ignore"), one_thread():  # reported below, once
        only = table(blocks[0]) if len(blocks) == 1 else None
        if intercept:
            for block in blocks:
                means += weights[block] @ (table(block) if only is None else only) / examples.total_weight
            for block in blocks if only is None else ():  # large means are rounded: by what is left of them
                rest += weights[block] @ (table(block) - means) / examples.total_weight
        for block in blocks:
            centred = table(block) if only is None else only
            sizes = np.maximum(sizes, np.abs(centred).max(axis=0, initial=0.0))
            centred -= means
            if only is not None and intercept:
                rest = weights @ centred / examples.total_weight
            centred -= rest
            if examples.weights is not None:
                centred *= np.sqrt(weights[block])[:, np.newaxis]
            reduced = np.vstack([reduced, centred]) if len(reduced) else centred
            if len(reduced) > width:
                reduced = qr(reduced, mode="r", check_finite=False, overwrite_a=True)[0][:width]
    if not np.isfinite(reduced).all():
        raise NumericalError(TOO_LARGE)
    return reduced, means, sizes


def dense(examples: Examples, block: slice) -> Flat:
    """Some of the rows as a table of double precision."""
    X = examples.rows.matrix(block)
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
