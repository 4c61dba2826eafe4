"""A power law for learning curves: error(n) = floor + scale · n^-exponent, with floor, scale ≥ 0.

Errors fall like this with the number n of training rows for most learners (Viering, Loog 2022, The shape of learning
curves: a review).  For a given exponent the law is linear in floor and scale, and weighted least squares with two
bounds has a closed form; so the fit is a search over one number, and always ends at the same, best one.

The interval of the error at some n is the set of values that some law through them explains nearly as well as the best
does: by at most t² more in the weighted sum of squares (profile likelihood; Venzon, Moolgavkar 1988).  It has a sound
answer where the law itself has none: exponents and floors that three points, a flat or a noisy curve leave open are all
in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import InputError
from linnet.evaluation.distributions import student_quantile
from linnet.evaluation.intervals import Interval, none, upper_tail

Vector = NDArray[np.float64]

# Below the first, the law is a line in log n at every n of interest; above the last, a step.
EXPONENTS = np.geomspace(0.02, 3.0, 161)
# Sizes whose repeats happen to agree are not known without error: variances are at least this part of the mean one.
LEAST_VARIANCE = 0.05


@dataclass(frozen=True)
class PowerLaw:
    """error(n) = floor + scale · n^-exponent; a flat curve has the scale 0, and its exponent says nothing."""

    floor: float
    scale: float
    exponent: float

    def at(self, rows: float) -> float:
        return self.floor + self.scale * math.pow(rows, -self.exponent)

    def rows_for(self, error: float) -> float:
        """The number of rows that the law says are needed for this error; infinite where no number is enough."""
        if error <= self.floor or self.scale == 0:
            return 1.0 if self.scale == 0 and error >= self.floor else math.inf
        log_rows = math.log(self.scale / (error - self.floor)) / self.exponent
        return math.exp(log_rows) if log_rows < 700 else math.inf


class LearningCurveFit:
    """A power law through the errors of a learner at several training sizes.

    `errors` has a row for each size and a column for each repeat; NaN for those that were not measured.
    """

    def __init__(self, rows: ArrayLike, errors: ArrayLike) -> None:
        n = np.asarray(rows, dtype=np.float64)
        table = np.asarray(errors, dtype=np.float64)
        table = table[:, np.newaxis] if table.ndim == 1 else table
        if n.ndim != 1 or table.ndim != 2 or len(table) != len(n):
            raise InputError(f"{n.shape} sizes and {table.shape} errors: pass a row of errors for each training size")
        measured = np.isfinite(table)
        kept = measured.any(axis=1) & (n > 0)
        if len(np.unique(n[kept])) < 3:
            raise InputError("a power law needs errors at three training sizes or more")
        table, measured, self.rows = table[kept], measured[kept], n[kept]
        self.repeats = measured.sum(axis=1)
        self.errors: Vector = np.where(measured, table, 0.0).sum(axis=1) / self.repeats
        self.variances, self.degrees = _variances(table, measured, self.errors, self.rows)
        # sizes in units of their geometric mean: powers of them are near 1, whatever the exponent
        self._unit = float(np.exp(np.log(self.rows).mean()))
        self._weights: Vector = self.repeats / self.variances

    @cached_property
    def law(self) -> PowerLaw:
        exponent = float(EXPONENTS[self._at_exponents(EXPONENTS).argmin()])
        width = math.log(EXPONENTS[1] / EXPONENTS[0])
        for _ in range(12):  # points around the best, then closer
            near = np.clip(exponent * np.exp(np.linspace(-width, width, 9)), EXPONENTS[0], EXPONENTS[-1])
            exponent, width = float(near[self._at_exponents(near).argmin()]), width / 4
        floor, scale, _ = (float(each[0]) for each in self._linear(np.array([exponent])))
        return PowerLaw(floor, scale * self._unit**exponent, exponent)

    def at(self, rows: float, confidence: float = 0.95) -> Interval:
        """Of the expected error at this number of rows."""
        tail = upper_tail(confidence)
        least = self._at_exponents(EXPONENTS)
        free = len(self.rows) - 3
        if self.degrees:
            degrees, excess = float(self.degrees), max(1.0, float(least.min()) / free) if free > 0 else 1.0
        elif free > 0:  # no repeats: the residuals are all that is known of the variance
            degrees, excess = float(free), float(least.min()) / free
        else:
            return none("one repeat of three sizes")
        limit = float(least.min()) + excess * student_quantile(degrees, tail) ** 2
        return self._explained(rows, limit)

    def _powers(self, exponents: Vector) -> Vector:
        """(n / unit)^-exponent: a row for each exponent, a column for each size."""
        powers: Vector = np.exp(-exponents[:, np.newaxis] * np.log(self.rows / self._unit))
        return powers

    def _linear(self, exponents: Vector) -> tuple[Vector, Vector, Vector]:
        """Floor, scale (of n / unit) and weighted sum of squares of the best law with each exponent."""
        w, y, t = self._weights, self.errors, self._powers(exponents)
        mean_t, mean_y = t @ w / w.sum(), float(w @ y / w.sum())
        off = t - mean_t[:, np.newaxis]
        scale = (off * (y - mean_y)) @ w / np.maximum((off * off) @ w, 1e-300)
        scale = np.maximum(scale, 0.0)
        floor = mean_y - scale * mean_t
        below = floor < 0
        scale = np.where(below, np.maximum((t * y) @ w / ((t * t) @ w), 0.0), scale)
        floor = np.where(below, 0.0, floor)
        rest = y - floor[:, np.newaxis] - scale[:, np.newaxis] * t
        return floor, scale, (rest * rest) @ w

    def _at_exponents(self, exponents: Vector) -> Vector:
        return self._linear(exponents)[2]

    def _explained(self, rows: float, limit: float) -> Interval:
        """The values at `rows` of all laws whose weighted sum of squares is at most this.

        With one exponent it is convex in the value v = floor + scale · t and the scale, so that bisection on either
        side of the best v finds where it ends; all exponents at once.
        """
        floor, scale, squares = self._linear(EXPONENTS)
        t = np.exp(-EXPONENTS * math.log(rows / self._unit))
        among = squares <= limit
        powers, t, best = self._powers(EXPONENTS)[among], t[among], (floor + scale * t)[among]
        u = powers - t[:, np.newaxis]

        def over(v: Vector) -> NDArray[np.bool_]:
            rest = self.errors - v[:, np.newaxis]
            b = (u * rest) @ self._weights / np.maximum((u * u) @ self._weights, 1e-300)
            rest = rest - np.clip(b, 0.0, v / t)[:, np.newaxis] * u
            outside: NDArray[np.bool_] = (rest * rest) @ self._weights > limit
            return outside

        reach = np.sqrt(limit / self._weights.sum()) + np.abs(self.errors).max()
        top = best + reach
        while not over(top).all():
            top = top + (top - best)
        low, high = _border(over, best, np.zeros_like(best)), _border(over, best, top)
        return Interval(float(low.min()), float(high.max()))


def _border(over: Callable[[Vector], NDArray[np.bool_]], inside: Vector, outside: Vector) -> Vector:
    """Between values that are explained and values that are not: by bisection; the outside where it is explained."""
    explained = ~over(outside)
    found = outside.copy()
    for _ in range(60):
        middle = (inside + outside) / 2
        beyond = over(middle)
        inside, outside = np.where(beyond, inside, middle), np.where(beyond, middle, outside)
    return np.where(explained, found, outside)


def _variances(table: Vector, measured: NDArray[np.bool_], means: Vector, rows: Vector) -> tuple[Vector, int]:
    """Of one error at each size, and the degrees of freedom that they are known by.

    A few repeats say little of the variance of one size.  So it is a power of n, fitted to all sizes, with the level
    that makes the sum of squares what it is.
    """
    degrees = np.maximum(measured.sum(axis=1) - 1, 0)
    squares = (np.where(measured, table - means[:, np.newaxis], 0.0) ** 2).sum(axis=1)
    total = int(degrees.sum())
    pooled = float(squares.sum()) / max(total, 1)
    if not pooled:
        return np.ones(len(rows)), 0
    known = degrees > 0
    log_variance = np.log(np.maximum(squares[known] / degrees[known], LEAST_VARIANCE * pooled))
    log_rows, weight = np.log(rows[known]), degrees[known] / total
    off = log_rows - weight @ log_rows
    fitted = known.sum() > 2
    slope = float((weight * off) @ log_variance / max(float((weight * off) @ off), 1e-300)) if fitted else 0.0
    shape = np.exp(np.clip(slope, -2.0, 1.0) * (np.log(rows) - np.log(rows).mean()))
    left = max(total - int(fitted), 1)  # of the degrees of freedom, one is the slope's
    return shape * (float((squares / shape).sum()) / left), left
