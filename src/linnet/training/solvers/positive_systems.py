"""Positive definite systems of equations, by the Cholesky decomposition, where their digits allow it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from linnet.cores import scipy

Flat = NDArray[np.float64]

# A table whose reciprocal condition is below this has lost the digits that are asked for.
CONDITION_AT_LEAST = 1e-6


def solver_of(table: Flat) -> Callable[[Flat], Flat] | None:
    """What solves systems of this table, one or several at once; None where their digits would be lost.

    The table is brought to a unit diagonal and decomposed in its place.
    """
    lapack = scipy("linalg").lapack

    diagonal = table.diagonal().copy()
    if not (np.isfinite(table.sum()) and (diagonal > 0).all()):
        return None
    unit = 1.0 / np.sqrt(diagonal)
    table *= unit[:, np.newaxis]
    table *= unit
    norm = max(float(np.abs(column).sum()) for column in table)
    # a symmetric table, the other way round, lies in memory as LAPACK has it
    factor, failed = lapack.dpotrf(table.T, overwrite_a=True)
    if failed or lapack.dpocon(factor, norm)[0] < CONDITION_AT_LEAST:
        return None

    def solve(right: Flat) -> Flat:
        solution, _ = lapack.dpotrs(factor, (unit * right.T).T)
        return np.asarray((unit * solution.T).T)

    return solve


def positive_solution(table: Flat, right: Flat) -> Flat | None:
    """The solution of one system, or of several of one table; None where its digits would be lost."""
    if not np.isfinite(right).all():
        return None
    solve = solver_of(table)
    return None if solve is None else solve(right)
