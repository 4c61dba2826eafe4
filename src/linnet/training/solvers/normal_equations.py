"""Least squares of more rows than columns by their normal equations, where columns are far from collinear.

With A and t as in least_squares.py, A'A w = A't, by the Cholesky decomposition of the table A'A: a third of the work of
an orthogonal decomposition.  The table has half the digits of A, so there is no result unless every column is
independent of the others in its first digits; then steps from the gradient at the rows themselves give the other digits
back.  The certificate is that of least_squares.py, for N g'(A'A)^-1 g = N sum_k (v_k . g)^2 / s_k^2.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from linnet.training.duality_gap import Certificate
from linnet.training.exact_products import exact_product
from linnet.training.objective import Flat, Objective
from linnet.training.solvers.centred_squares import CANCELLED_AT_MOST, NARROWEST, centred_squares, terms_in_a_row
from linnet.training.solvers.least_squares import EPS, KNOWN, checked, examples_of, fits, residuals, units_of
from linnet.training.solvers.positive_systems import solver_of

# Steps from the gradient at most, and the fraction of the objective at which no more is to be gained.
STEPS, NOTHING = 3, 1e-20


def by_squares(problem: Objective) -> tuple[Flat, Certificate] | None:
    """Weights with the intercept, and what they prove; None where columns are nearly collinear, or more than rows."""
    examples, (n, d) = examples_of(problem), problem.rows.shape
    if n <= d or not fits(examples):
        return None
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is solved by singular values
        found = centred_squares(examples, intercept=problem.intercept)
    squares, means, target_mean, total = found.squares, found.means[:d], float(found.means[d]), found.total
    table, right = squares[:d, :d].copy(), squares[:d, d]
    lengths = np.sqrt(np.maximum(table.diagonal(), 0.0))
    if not np.isfinite(squares).all() or (lengths**2 <= NARROWEST * total * means**2).any():
        return None
    solve = solver_of(table)
    if solve is None:
        return None
    # no |A v| of a v of length 1, with columns of length 1, is less
    least = 1.0 / sqrt(solve.inverse_norm())
    # d times what one square may be off by, in its sums and when the means were taken off, and the factor by d
    own = 0.5 * EPS * d * (CANCELLED_AT_MOST * (terms_in_a_row(n, d) + 8.0) + d) / least**2
    units = units_of(examples, lengths, problem.largest_entries)
    if own > KNOWN or not float((lengths / units).min()) * least > 1.0:
        return None
    w = solve(right)
    for _ in range(STEPS):
        flat = np.append(*checked(w, target_mean - exact_product(means, w)))
        at = residuals(examples, means, target_mean, flat, intercept=problem.intercept)
        change = solve(total * at.gradient)
        reach = sqrt(max(0.0, float(at.gradient @ change)))
        if 0.5 * reach * reach <= NOTHING * at.value:
            break
        w = w - change
    return flat, at.certificate(reach, least, own)
