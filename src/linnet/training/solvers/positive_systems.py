"""Positive definite systems of equations, by the Cholesky decomposition, where their digits allow it."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from linnet.cores import scipy

Flat = NDArray[np.float64]

# A table whose reciprocal condition is below this has lost the digits that are asked for.
CONDITION_AT_LEAST = 1e-6


@dataclass(frozen=True, eq=False)
class PositiveSystem:
    """A table decomposed, brought to a unit diagonal by these units."""

    factor: Flat
    unit: Flat

    def __call__(self, right: Flat) -> Flat:
        """The solution of the system, or of several at once."""
        solution, _ = scipy("linalg").lapack.dpotrs(self.factor, (self.unit * right.T).T)
        return np.asarray((self.unit * solution.T).T)

    def inverse_norm(self) -> float:
        """No less than the largest eigenvalue of the inverse of the table with a unit diagonal."""
        inverse, _ = scipy("linalg").lapack.dpotri(self.factor)
        upper = np.triu(inverse)
        return sqrt(2.0 * float((upper * upper).sum()) - float((inverse.diagonal() ** 2).sum()))


def solver_of(table: Flat) -> PositiveSystem | None:
    """What solves systems of this table; None where their digits would be lost.  The table becomes its factor."""
    lapack = scipy("linalg").lapack

    diagonal = table.diagonal().copy()
    if not (np.isfinite(table.sum()) and (diagonal > 0).all()):
        return None
    unit = 1.0 / np.sqrt(diagonal)
    table *= unit[:, np.newaxis]
    table *= unit
    norm = max(float(np.abs(table[first : first + 64]).sum(axis=1).max()) for first in range(0, len(table), 64))
    # a symmetric table, the other way round, lies in memory as LAPACK has it
    factor, failed = lapack.dpotrf(table.T, overwrite_a=True)
    if failed or lapack.dpocon(factor, norm)[0] < CONDITION_AT_LEAST:
        return None
    return PositiveSystem(factor, unit)


def positive_solution(table: Flat, right: Flat) -> Flat | None:
    """The solution of one system, or of several of one table; None where its digits would be lost."""
    if not np.isfinite(right).all():
        return None
    solve = solver_of(table)
    return None if solve is None else solve(right)
