"""Positive definite systems of a few hundred unknowns, by NumPy alone: SciPy takes longer to load than many a fit."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linnet.errors import NumericalError
from linnet.kernels.triangular import solve_factored

Table = NDArray[np.float64]


class Factored:
    """A positive definite table A with its factor: A = L L'.  LinAlgError where it is not, up to rounding."""

    def __init__(self, table: Table) -> None:
        lower = np.linalg.cholesky(table)
        if not np.isfinite(lower).all():
            raise np.linalg.LinAlgError("the table has numbers that are not finite")
        self._table, self._lower = table, lower

    @cached_property
    def _inverse(self) -> Table:
        """That of L, for many right sides: by far faster than substitution for each of them."""
        return np.asarray(np.linalg.inv(self._lower))

    def solve(self, right: Table) -> Table:
        """A^-1 right, corrected once by what is left."""
        found = self._solved(right)
        return np.asarray(found + self._solved(right - self._table @ found))

    def _solved(self, right: Table) -> Table:
        if right.ndim == 2:
            return np.asarray(self._inverse.T @ (self._inverse @ right))
        found = np.array(right, dtype=np.float64)
        solve_factored(self._lower, found)
        return found

    def inverse(self) -> Table:
        return np.asarray(self._inverse.T @ self._inverse)


class ScaledFactors:
    """A positive definite table, every column in its own unit, so that only nearly collinear columns matter: for these
    a little is added to the diagonal, until it has a factor."""

    def __init__(self, table: Table) -> None:
        diagonal = np.diagonal(table)
        self._unit = 1.0 / np.sqrt(np.where(diagonal > np.finfo(np.float64).tiny, diagonal, 1.0))
        scaled, extra = table * np.outer(self._unit, self._unit), 1e-14
        while extra < 1:
            try:
                self._factored = Factored(scaled)
                return
            except np.linalg.LinAlgError:
                scaled.flat[:: len(scaled) + 1] += extra
                extra *= 10
        raise NumericalError("the table of squares left the range of numbers: scale the features down")

    def solve(self, right: Table) -> Table:
        return np.asarray(self._unit * self._factored.solve(self._unit * right))


def mirrored(table: Table) -> Table:
    """The symmetric table with this lower triangle."""
    lower = np.tril(table)
    return np.asarray(lower + np.tril(table, -1).T)
