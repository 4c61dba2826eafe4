"""The leave-one-out error of ridge regression for any alpha, from one decomposition of the rows (Allen 1974, PRESS).

With c the sample weights, N their sum, m the weighted means, A = sqrt(c) (X - m) and t = sqrt(c) (y - mean):

    narrow   A'A = V diag(s) V',  z_i = V' (x_i - m),  b = V' A' t
             r_i = y_i - mean - z_i . b / (s + alpha),   l_i = 1/N + sum_k z_ik^2 / (s_k + alpha)
    wide     A A' = Q diag(s) Q'
             sqrt(c_i) r_i = sum_k q_ik (Q' t)_k alpha / (s_k + alpha)
             1 - c_i l_i = sum_k q_ik^2 alpha / (s_k + alpha) - c_i / N

r_i is the residual of row i, l_i the leverage of one copy of it.  The fit to all rows but one copy of row i is wrong
there by r_i / (1 - l_i): a row of weight k is k copies, of which one is left out.  Of a weight below 1 all is left out.
Without an intercept the means and 1/N are 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.cores import one_thread, scipy
from linnet.data.rows import Examples
from linnet.training.solvers.centred_squares import BLOCK, BLOCKS_A_PART, centred_squares
from linnet.training.solvers.least_squares import dense
from linnet.training.solvers.row_products import centred_products
from linnet.training.threads import added, over_parts

Flat = NDArray[np.float64]

# A table of more rows and columns than this takes longer to decompose than conjugate gradients to follow a path.
DECOMPOSED_AT_MOST = 1000
# The same of the products that fill a table of all pairs of columns; where rows are full, products are quick.
PRODUCTS_AT_MOST = 1e10
PRODUCTS_AN_ENTRY = 500
# A row whose leverage is 1 to rounding says nothing of itself.
LEAST_LEFT = 1e-12


def feasible(examples: Examples) -> bool:
    """Whether the decomposition takes little time, in all."""
    n, d = examples.rows.shape
    products = float(n) * d * d if d <= n else 0.0
    return min(n, d) <= DECOMPOSED_AT_MOST and (products <= PRODUCTS_AT_MOST or quickly_decomposed(examples))


def quickly_decomposed(examples: Examples) -> bool:
    """Whether it takes little time beside reading the rows, however many there are, or copies of them."""
    n, d = examples.rows.shape
    return d <= DECOMPOSED_AT_MOST and float(n) * d * d <= PRODUCTS_AN_ENTRY * float(examples.rows.entries)


class LeaveOneOut:
    """The rows, decomposed; their weights are positive."""

    def __init__(self, examples: Examples, *, intercept: bool) -> None:
        n, d = examples.rows.shape
        with one_thread():
            self._decomposed = (_Narrow if d <= n else _Wide)(examples, intercept)

    @property
    def largest(self) -> float:
        """The largest eigenvalue: the scale of alpha."""
        return float(self._decomposed.values.max(initial=0.0))

    def errors(self, alphas: Flat) -> Flat:
        """The sum of the squared errors, weighted, for each alpha."""
        with one_thread():
            return self._decomposed.errors(alphas)

    def residuals(self, alphas: Flat) -> Flat:
        """(rows, alphas): what the fit to all other rows misses each row by, however heavy the row is."""
        with one_thread():
            return self._decomposed.residuals(alphas)


class _Narrow:
    """By the d x d table of squares."""

    def __init__(self, examples: Examples, intercept: bool) -> None:
        d = examples.rows.shape[1]
        found = centred_squares(examples, intercept=intercept)
        self.examples, self.means = examples, found.means
        self.of_intercept = 1.0 / found.total if intercept else 0.0
        self.values, self.axes = _decomposed(found.squares[:d, :d])
        self.coordinates = self.axes.T @ found.squares[:d, d]

    def errors(self, alphas: Flat) -> Flat:
        (n, d), shrunk = self.examples.rows.shape, 1.0 / (self.values[:, np.newaxis] + alphas)
        weights = self.coordinates[:, np.newaxis] * shrunk
        at_once = max(64, BLOCK // (d + len(alphas)))

        def part(start: int, stop: int) -> Flat:
            total = np.zeros(len(alphas))
            for first in range(start, stop, at_once):
                at = slice(first, min(stop, first + at_once))
                z = (dense(self.examples, at) - self.means[:d]) @ self.axes
                residuals = (self.examples.targets[at] - self.means[d])[:, np.newaxis] - z @ weights
                leverage = self.of_intercept + (z * z) @ shrunk
                if self.examples.weights is None:
                    total += _squares(residuals, 1.0 - leverage)
                else:
                    c = self.examples.weights[at][:, np.newaxis]
                    total += _squares(np.sqrt(c) * residuals, 1.0 - np.minimum(c, 1.0) * leverage)
            return total

        return added(over_parts(part, n, BLOCKS_A_PART * at_once))

    def residuals(self, alphas: Flat) -> Flat:
        (n, d), shrunk = self.examples.rows.shape, 1.0 / (self.values[:, np.newaxis] + alphas)
        found = np.empty((n, len(alphas)))
        weights = self.coordinates[:, np.newaxis] * shrunk
        at_once = max(64, BLOCK // (d + len(alphas)))
        for first in range(0, n, at_once):
            at = slice(first, min(n, first + at_once))
            z = (dense(self.examples, at) - self.means[:d]) @ self.axes
            missed = (self.examples.targets[at] - self.means[d])[:, np.newaxis] - z @ weights
            leverage = self.of_intercept + (z * z) @ shrunk
            c = 1.0 if self.examples.weights is None else self.examples.weights[at][:, np.newaxis]
            found[at] = missed / np.maximum(1.0 - c * leverage, LEAST_LEFT)
        return found


class _Wide:
    """By the n x n table of the rows' products."""

    def __init__(self, examples: Examples, intercept: bool) -> None:
        n = examples.rows.shape[0]
        self.c = np.ones(n) if examples.weights is None else examples.weights
        mean = float(self.c @ examples.targets) / float(self.c.sum()) if intercept else 0.0
        table = centred_products(examples, self.c if intercept else None)
        root = np.sqrt(self.c)
        table *= root[:, np.newaxis] * root
        # sqrt(c) is a direction that the intercept takes: far from 0, it does not add to what is left of a row
        self.of_intercept, self.far = self.c / self.c.sum() if intercept else np.zeros(n), float(np.trace(table)) or 1.0
        if intercept:
            direction = root / np.sqrt(self.c.sum())
            table += self.far * np.outer(direction, direction)
        values, self.axes = _decomposed(table)
        self.shifted, self.values = values, values if not intercept else values[:-1]
        self.coordinates = self.axes.T @ (root * (examples.targets - mean))

    def errors(self, alphas: Flat) -> Flat:
        left = alphas / (self.shifted[:, np.newaxis] + alphas)
        residuals = self.axes @ (left * self.coordinates[:, np.newaxis])
        whole = (self.axes * self.axes) @ left - np.outer(self.of_intercept, alphas / (self.far + alphas))
        one = np.minimum(1.0, 1.0 / self.c)[:, np.newaxis]
        return _squares(residuals, (1.0 - one) + one * whole)

    def residuals(self, alphas: Flat) -> Flat:
        left = alphas / (self.shifted[:, np.newaxis] + alphas)
        missed = self.axes @ (left * self.coordinates[:, np.newaxis])
        whole = (self.axes * self.axes) @ left - np.outer(self.of_intercept, alphas / (self.far + alphas))
        return np.asarray(missed / np.sqrt(self.c)[:, np.newaxis] / np.maximum(whole, LEAST_LEFT))


def _squares(residuals: Flat, left: Flat) -> Flat:
    return np.asarray(((residuals / np.maximum(left, LEAST_LEFT)) ** 2).sum(axis=0))


def _decomposed(table: Flat) -> tuple[Flat, Flat]:
    """Eigenvalues and eigenvectors of a table of squares."""
    linalg = scipy("linalg")

    if not np.isfinite(table).all():
        raise linalg.LinAlgError("the squares leave the range of numbers")
    values, axes = linalg.eigh(table, driver="evd", check_finite=False)
    return np.maximum(values, 0.0), axes
