"""Least squares of rows fewer than columns: of all weights that meet every target, the shortest.

With m the weighted means of the columns, A = sqrt(c) (X - m) and t = sqrt(c) (y - mean):

    w = A' u,   A A' u = t

by the Cholesky decomposition of the table A A' of n x n numbers, a fraction of the work that singular values take.
Centred by the means, rows of an intercept are collinear, always and by one direction: e = sqrt(c) / |sqrt(c)|, to which
t is orthogonal, so that any multiple of e e' may be added to the table.  The table has half the digits of A; where that
may be too few there is no result.  Else a second step, from what the targets are missed by, gives the others back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Examples
from linnet.training.duality_gap import Certificate
from linnet.training.exact_products import exact_product
from linnet.training.solvers.least_squares import collinear, dense
from linnet.training.solvers.positive_systems import solver_of
from linnet.training.solvers.row_products import dense_products

Table = NDArray[np.float64]

# Squared lengths of rows that differ by more may be of rows that are 0 to the rounding of others.
SHORTEST_ROW = 1e-12


def shortest(examples: Examples, *, intercept: bool) -> tuple[Table, list[Certificate]] | None:
    """A row of weights and the intercept, and what is proven of them, for each of the targets.

    None where there are not fewer rows than columns, or where rows are nearly collinear.
    """
    n, d = examples.rows.shape
    if n >= d:
        return None
    y, total = examples.targets.reshape(n, -1), examples.total_weight
    c = np.ones(n) if examples.weights is None else examples.weights
    root = np.sqrt(c)[:, np.newaxis]
    A, target_means, means = dense(examples, slice(0, n)).copy(), np.zeros(y.shape[1]), np.zeros(d)
    if intercept:
        target_means = c @ y / total
        for _ in range(2):  # large means are rounded: by what is left of them
            left = c @ A / total
            A -= left
            means += left
    A *= root
    t = root * (y - target_means)
    table = dense_products(A)
    diagonal = table.diagonal()
    if intercept:
        table += float(diagonal.mean()) / total * (root @ root.T)
    if not (np.isfinite(t).all() and diagonal.min() > SHORTEST_ROW * diagonal.max()):
        return None
    solved = solver_of(table)
    if solved is None:
        return None
    w = A.T @ solved(t)
    w += A.T @ solved(t - A @ w)
    missed = t - A @ w
    b = [mean - exact_product(means, each) for mean, each in zip(target_means, w.T, strict=True)]
    values = 0.5 * (missed * missed).sum(axis=0) / total
    reason = collinear(n - 1 if intercept else n, d)
    return np.column_stack([w.T, b]), [Certificate(float(value), -np.inf, reason) for value in values]
