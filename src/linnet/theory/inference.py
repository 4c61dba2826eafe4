"""Standard errors of the coefficients, from the curvature of the likelihood at its maximum.

    logistic   covariance H^-1,        H = sum_i c_i p_i (1 - p_i) z_i z_i',  z = (x, 1)
    softmax    the same, in blocks     H_kl = sum_i c_i p_ik ([k = l] - p_il) z_i z_i',  k and l not the reference class
    squares    covariance s^2 H^-1,    H = sum_i c_i z_i z_i',  s^2 = sum_i c_i (y_i - w . z_i)^2 / (degrees of freedom)
    sandwich   H^-1 (sum_i c_i^2 g_i^2 z_i z_i') H^-1,  g_i the slope of row i's loss (Huber 1967, White 1980);
               for squares over 1 - c_i z_i' H^-1 z_i (HC3: MacKinnon, White 1985), with Student's t

They are valid at the optimum only.  So the optimum is computed first, by Newton steps for logistic regression, directly
for least squares; a fit farther than a standard error from it was not made on these rows.

Sample weights have one of three meanings, on which the standard errors depend: how often a row was observed
(frequencies), how precisely its target was measured (precisions; least squares only), or how many others it represents
(sampling: the sandwich).

All of it about the means of the columns (centred_points.py), with z = (x - mean, 1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from linnet.cores import one_thread, scipy
from linnet.data.rows import Examples
from linnet.errors import InputError, RecipeError
from linnet.learners.joint_losses import Softmax
from linnet.theory.centred_points import CentredPoints, weights_of
from linnet.theory.coefficient_table import Summary
from linnet.theory.collinearity import collinear_columns
from linnet.training.solvers.least_squares import decomposed

Flat = NDArray[np.float64]

SOFTMAX = Softmax()
COLUMNS_AT_MOST = 4000
STEPS = 30
# Newton has converged when a step is below this fraction of a standard error.
CONVERGED = 1e-10
INTERCEPT = "(intercept)"
# A row that alone determines a coefficient has no residual, whatever its target.
LEAST_LEFT_OUT = 1e-6
ROBUST = "robust standard errors (sampling weights)"


class Weights(StrEnum):
    """The meaning of sample weights."""

    FREQUENCIES = "frequencies"
    PRECISIONS = "precisions"
    SAMPLING = "sampling"


@dataclass(frozen=True, eq=False)
class Estimates:
    """The optimum, class after class, the intercept last of each, and its covariance.

    `rows` is the number of observations; `degrees` are those of freedom, where the statistic is t.
    """

    at: Flat
    covariance: Flat
    rows: float
    note: str
    degrees: float | None = None
    tested: bool = True

    def table(self, names: tuple[str, ...], level: float) -> Summary:
        """The estimates with their standard errors, as a table."""
        errors = np.sqrt(self.covariance.diagonal())
        return Summary(names, self.at, errors, level, self.rows, self.note, self.degrees, self.tested)


def meaning(weights: Flat | None, weights_are: str | None) -> Weights:
    """The meaning of the sample weights; by default integers are frequencies, and others are refused."""
    if weights_are is not None:
        if weights_are not in list(Weights):
            known = ", ".join(repr(str(each)) for each in Weights)
            raise RecipeError(f"weights_are={weights_are!r} is unknown; choose from {known}")
        return Weights(weights_are)
    if weights is None or (weights == np.floor(weights)).all():
        return Weights.FREQUENCIES
    raise InputError(
        "the sample weights are not integers, so they are not frequencies: pass weights_are='sampling' (rows represent "
        "others) or weights_are='precisions' (least squares only: inverse variances)"
    )


def check_level(level: float) -> float:
    if not 0 < level < 1:
        raise RecipeError(f"level must be between 0 and 1, such as 0.95; it is {level!r}")
    return float(level)


def logistic(
    examples: Examples,
    w: Flat,
    b: Flat,
    classes: list[int],
    labels: list[str],
    *,
    intercept: bool,
    l2: float,
    weights_are: str | None,
    level: float,
) -> Summary:
    """The table of the log-odds of these classes against the reference class, given w (d, classes) and b.

    `labels` name the classes where there are several.  `l2` is the penalty on the sum of losses, read as a prior.
    """
    found = logistic_estimates(examples, w, b, classes, intercept=intercept, l2=l2, weights_are=weights_are)
    if labels and l2 == 0:
        found = replace(found, note=f"{found.note}; log-odds against the last label")
    columns = _names(examples, intercept)
    return found.table(tuple(f"{label}: {column}" for label in labels for column in columns) or columns, level)


@one_thread()
def logistic_estimates(
    examples: Examples,
    w: Flat,
    b: Flat,
    classes: list[int],
    *,
    intercept: bool,
    l2: float = 0.0,
    weights_are: str | None = None,
) -> Estimates:
    """As `logistic`, with the covariance."""
    what = meaning(examples.weights, weights_are)
    if what is Weights.PRECISIONS:
        raise RecipeError("weights_are='precisions' is for least squares only: use 'frequencies' or 'sampling'")
    _check(examples, intercept, penalised=l2 > 0, outputs=len(classes))
    width = examples.rows.shape[1] + int(intercept)
    penalty = np.tile(np.append(np.full(examples.rows.shape[1], l2), np.zeros(int(intercept))), len(classes))
    points = CentredPoints.of(examples, intercept=intercept)
    start = at = points.centred(np.column_stack([w.T, b])[:, :width]).reshape(-1)
    far = 0.0
    for _ in range(STEPS):
        pull, curvature, meat = _derivatives(
            points, classes, at.reshape(len(classes), -1), robust=what is Weights.SAMPLING
        )
        inverse = _inverse(curvature + np.diag(penalty))
        step, errors = inverse @ (pull - penalty * at), np.sqrt(inverse.diagonal())
        far = float(np.abs(step / errors).max())
        if far <= CONVERGED:
            break
        at = at + step
    else:
        raise InputError("Newton's method did not converge from this fit: refit with a smaller tol")
    _check_near(start, at, errors)
    covariance = points.covariance_as_given(inverse @ meat @ inverse if what is Weights.SAMPLING else inverse)
    at = points.as_given(at.reshape(len(classes), -1)).reshape(-1)
    note = "standard errors from the information matrix" if what is Weights.FREQUENCIES else ROBUST
    if l2 > 0:
        note = f"penalised estimates; posterior intervals (Laplace) under the prior w ~ N(0, {1 / l2:g}); no tests"
    return Estimates(at, covariance, _rows(examples, what), note, tested=l2 == 0)


def _derivatives(points: CentredPoints, classes: list[int], at: Flat, *, robust: bool) -> tuple[Flat, Flat, Flat]:
    """The gradient of the log-likelihood, its negative Hessian, and the sum of squared slopes; a row for each class."""
    outputs, width = at.shape
    examples, c = points.examples, weights_of(points.examples)
    pull, curvature, meat = np.zeros(at.shape), np.zeros((*at.shape, *at.shape)), np.zeros((*at.shape, *at.shape))
    for block, z in points.blocks():
        own = _with_reference(examples.targets[block, np.newaxis] == classes)
        _, q = SOFTMAX.at(np.column_stack([z @ at.T, np.zeros(len(z))]), own)
        off = (own - q)[:, :outputs]
        pull += (c[block, np.newaxis] * off).T @ z
        for k in range(outputs):
            bends = c[block, np.newaxis] * SOFTMAX.curvature(q, np.eye(outputs + 1)[k])
            for m in range(k + 1):
                curvature[k, :, m] += z.T @ (z * bends[:, m, np.newaxis])
                if robust:
                    meat[k, :, m] += z.T @ (z * (c[block] ** 2 * off[:, k] * off[:, m])[:, np.newaxis])
    for table in (curvature, meat):
        for k in range(outputs):
            for m in range(k):
                table[m, :, k] = table[k, :, m].T
    size = outputs * width
    return pull.reshape(-1), curvature.reshape(size, size), meat.reshape(size, size)


def _with_reference(own: NDArray[np.bool_]) -> Flat:
    """1 in the column of each row's class; the last column is the reference class."""
    return np.column_stack([own, ~own.any(axis=1)]).astype(np.float64)


def squares(
    examples: Examples, w: Flat, b: float, *, intercept: bool, weights_are: str | None, level: float
) -> Summary:
    """The table of a least-squares fit, with Student's t."""
    found = squares_estimates(examples, w, b, intercept=intercept, weights_are=weights_are)
    return found.table(_names(examples, intercept), level)


@one_thread()
def squares_estimates(
    examples: Examples, w: Flat, b: float, *, intercept: bool, weights_are: str | None = None
) -> Estimates:
    """As `squares`, with the covariance."""
    what = meaning(examples.weights, weights_are)
    _check(examples, intercept, penalised=False, outputs=1)
    c, names = weights_of(examples), _names(examples, intercept)
    rows = _rows(examples, what)
    degrees = rows - len(names)
    if degrees <= 0:
        raise InputError(f"{rows:g} rows leave no degrees of freedom for {len(names)} coefficients: pass more rows")
    axes = decomposed(examples, intercept=intercept)
    points = CentredPoints.of(examples, intercept=intercept)
    inverse = _with_intercept(axes.inverse(), axes.total) if intercept else axes.inverse()
    at, start = (np.append(each, offset)[: len(names)] for each, offset in (axes.weights(), (w, b)))
    residuals = _residuals(points, at)
    covariance = float(c @ residuals**2) / degrees * inverse
    if what is Weights.SAMPLING:
        meat = np.zeros_like(inverse)
        for block, z in points.blocks():
            # as if each row were left out: its own pull on the fit makes its residual too small, most so in few rows
            left_out = np.maximum(1.0 - c[block] * ((z @ inverse) * z).sum(axis=1), LEAST_LEFT_OUT)
            meat += z.T @ (z * (c[block] * residuals[block] / left_out)[:, np.newaxis] ** 2)
        covariance = inverse @ meat @ inverse
    begun, ended = points.centred(np.stack([start, at]))
    _check_near(begun, ended, np.sqrt(covariance.diagonal()))
    covariance = points.covariance_as_given(covariance)
    if what is Weights.SAMPLING:
        return Estimates(at, covariance, rows, ROBUST, degrees)
    return Estimates(at, covariance, rows, f"{degrees:g} residual degrees of freedom", degrees)


def _residuals(points: CentredPoints, at: Flat) -> Flat:
    """Of least squares; their mean, which is 0 beside an intercept, is left to no rounding."""
    examples, (own,) = points.examples, points.centred(at[np.newaxis])
    y = examples.targets - (own[-1] if points.intercept else 0.0)
    w = own[:-1] if points.intercept else own
    residuals = np.concatenate([y[block] - z[:, : len(w)] @ w for block, z in points.blocks()])
    return residuals - np.average(residuals, weights=examples.weights) if points.intercept else residuals


def _with_intercept(inner: Flat, total: float) -> Flat:
    """H^-1 of centred points, given that of their columns: the intercept is on its own."""
    outer = np.zeros((len(inner) + 1, len(inner) + 1))
    outer[:-1, :-1], outer[-1, -1] = inner, 1.0 / total
    return outer


def _check(examples: Examples, intercept: bool, *, penalised: bool, outputs: int) -> None:
    size = examples.rows.shape[1] * outputs
    if size > COLUMNS_AT_MOST:
        raise InputError(
            f"standard errors need a matrix of {size} x {size} numbers: at most {COLUMNS_AT_MOST} columns × "
            "(classes - 1) are supported"
        )
    examples.rows.check_finite()
    collinear = collinear_columns(examples, intercept=intercept) if not penalised else np.empty(0, np.int64)
    if len(collinear):
        names = ", ".join(_names(examples, intercept)[j] for j in collinear[:5])
        raise InputError(
            f"the columns are collinear, so their coefficients are not determined and have no standard errors: "
            f"drop {names}{', ...' if len(collinear) > 5 else ''}"
        )


def _check_near(start: Flat, end: Flat, errors: Flat) -> None:
    if float(np.abs((end - start) / errors).max()) > 1.0:
        raise InputError(
            "the coefficients are more than a standard error from the optimum on these rows: pass summary the same "
            "rows and sample weights as fit, or fit with a smaller tol"
        )


def _inverse(table: Flat) -> Flat:
    """The inverse of a positive definite matrix, scaled to a unit diagonal first."""
    lapack = scipy("linalg").lapack
    diagonal = table.diagonal()
    unit = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    factor, failed = lapack.dpotrf(np.asfortranarray(table * unit[:, np.newaxis] * unit))
    if failed or not (diagonal > 0).all() or not np.isfinite(factor).all():
        raise InputError("the information matrix is singular: these rows do not determine all coefficients")
    upper, _ = lapack.dpotri(factor)
    whole = np.triu(upper) + np.triu(upper, 1).T
    return np.asarray(whole * unit[:, np.newaxis] * unit)


def _rows(examples: Examples, what: Weights) -> float:
    """The number of observations: the sum of frequencies, or the rows whose weight is not 0."""
    weights = weights_of(examples)
    return float(weights.sum() if what is Weights.FREQUENCIES else np.count_nonzero(weights))


def _names(examples: Examples, intercept: bool) -> tuple[str, ...]:
    names = examples.rows.names or tuple(f"x{j}" for j in range(examples.rows.shape[1]))
    return (*names, INTERCEPT) if intercept else tuple(names)
