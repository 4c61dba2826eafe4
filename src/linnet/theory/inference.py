"""Standard errors of the weights, from the curvature of the likelihood where it is largest.

    logistic   covariance H^-1,        H = sum_i c_i p_i (1 - p_i) z_i z_i',  z = (x, 1)
    softmax    the same, in blocks     H_kl = sum_i c_i p_ik ([k = l] - p_il) z_i z_i',  k and l not the reference class
    squares    covariance s^2 H^-1,    H = sum_i c_i z_i z_i',  s^2 = sum_i c_i (y_i - w . z_i)^2 / (degrees of freedom)
    sandwich   H^-1 (sum_i c_i^2 g_i^2 z_i z_i') H^-1,  g_i the slope of row i's loss (Huber 1967, White 1980)

They hold at the optimum only.  So a fit is first brought there: logistic regression by Newton steps, least squares by
solving it; and if that takes it further than a standard error, these are not the rows that it was fitted to.

Sample weights mean one of three things, and the figures depend on which: how often a row was seen (frequencies), how
precisely its target was measured (precisions; least squares only), or how many others it stands for (sampling: the
sandwich).
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import Examples
from linnet.errors import InputError, RecipeError
from linnet.theory.coefficient_table import Summary
from linnet.theory.separation import collinear_columns
from linnet.training.batch import one_thread
from linnet.training.solvers.least_squares import decomposed, dense

Flat = NDArray[np.float64]

COLUMNS_AT_MOST = 4000
ROWS_AT_ONCE = 1 << 12
STEPS = 30
# Newton steps of so small a part of a standard error change nothing any more.
ARRIVED = 1e-10
INTERCEPT = "(intercept)"


class Weights(StrEnum):
    """What sample weights mean."""

    FREQUENCIES = "frequencies"
    PRECISIONS = "precisions"
    SAMPLING = "sampling"


def meaning(weights: Flat | None, said: str | None) -> Weights:
    """What the weights are: as said; without a word whole numbers are frequencies, and others are refused."""
    if said is not None:
        if said not in list(Weights):
            raise RecipeError(f"weights_are={said!r} is not known; there are {', '.join(map(repr, map(str, Weights)))}")
        return Weights(said)
    if weights is None or (weights == np.floor(weights)).all():
        return Weights.FREQUENCIES
    raise InputError(
        "the sample weights are no whole numbers, so they are no frequencies: say what they are, "
        "weights_are='sampling' (rows stand for others) or 'precisions' (least squares: inverse variances)"
    )


def check_level(level: float) -> float:
    if not 0 < level < 1:
        raise RecipeError(f"level must lie between 0 and 1, as 0.95; it is {level!r}")
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
    said: str | None,
    level: float,
) -> Summary:
    """Log-odds of these classes against the one that has no weights, as w (d, classes) and b tell them.

    `labels` name the classes where they are several.  `l2` is the penalty on the sum of losses, read as a prior.
    """
    what = meaning(examples.weights, said)
    if what is Weights.PRECISIONS:
        raise RecipeError("weights_are='precisions' is for least squares: a class is not measured more or less well")
    _check(examples, intercept, penalised=l2 > 0, outputs=len(classes))
    columns = _names(examples, intercept)
    names = tuple(f"{label}: {column}" for label in labels for column in columns) if labels else columns
    penalty = np.tile(np.append(np.full(examples.rows.shape[1], l2), np.zeros(int(intercept))), len(classes))
    start = at = np.column_stack([w.T, b])[:, : len(columns)].reshape(-1)
    far = 0.0
    for _ in range(STEPS):
        with one_thread():
            pull, curvature, meat = _derivatives(
                examples, classes, at.reshape(len(classes), -1), intercept=intercept, robust=what is Weights.SAMPLING
            )
            inverse = _inverse(curvature + np.diag(penalty))
        step, errors = inverse @ (pull - penalty * at), np.sqrt(inverse.diagonal())
        far = float(np.abs(step / errors).max())
        if far <= ARRIVED:
            break
        at = at + step
    else:
        raise InputError("Newton's method did not come to the optimum from this fit: refit with a smaller tol")
    _check_near(start, at, errors)
    covariance = inverse @ meat @ inverse if what is Weights.SAMPLING else inverse
    note = "from the information at the optimum" if what is Weights.FREQUENCIES else "robust to sampling weights"
    if labels:
        note += "; log-odds against the last label"
    if l2 > 0:
        note = (
            f"estimates are drawn to 0; intervals are posterior ones (Laplace) under the prior w ~ N(0, {1 / l2:g}), "
            "and no tests"
        )
    return Summary(names, at, np.sqrt(covariance.diagonal()), level, _rows(examples, what), note, tested=l2 == 0)


def _derivatives(
    examples: Examples, classes: list[int], at: Flat, *, intercept: bool, robust: bool
) -> tuple[Flat, Flat, Flat]:
    """Of the likelihood at these weights, a line for each class: slope, -curvature, and the sum of squared slopes."""
    outputs, width = at.shape
    c = _weights(examples)
    pull, curvature, meat = np.zeros(at.shape), np.zeros((*at.shape, *at.shape)), np.zeros((*at.shape, *at.shape))
    for block in _blocks(examples):
        z = _points(examples, block, intercept)
        p = _probabilities(z @ at.T)
        off = (examples.targets[block, np.newaxis] == classes) - p
        pull += (c[block, np.newaxis] * off).T @ z
        for k in range(outputs):
            for m in range(k + 1):
                bend = c[block] * p[:, k] * (float(k == m) - p[:, m])
                curvature[k, :, m] += z.T @ (z * bend[:, np.newaxis])
                if robust:
                    meat[k, :, m] += z.T @ (z * (c[block] ** 2 * off[:, k] * off[:, m])[:, np.newaxis])
    for table in (curvature, meat):
        for k in range(outputs):
            for m in range(k):
                table[m, :, k] = table[k, :, m].T
    size = outputs * width
    return pull.reshape(-1), curvature.reshape(size, size), meat.reshape(size, size)


def _probabilities(scores: Flat) -> Flat:
    """Softmax of these scores and the 0 of the reference class, without the latter's."""
    top = np.maximum(0.0, scores.max(axis=1, keepdims=True))
    e = np.exp(scores - top)
    return np.asarray(e / (e.sum(axis=1, keepdims=True) + np.exp(-top)))


def squares(examples: Examples, w: Flat, b: float, *, intercept: bool, said: str | None, level: float) -> Summary:
    """Least squares, with Student's t."""
    what = meaning(examples.weights, said)
    _check(examples, intercept, penalised=False, outputs=1)
    c, names = _weights(examples), _names(examples, intercept)
    rows = _rows(examples, what)
    degrees = rows - len(names)
    if degrees <= 0:
        raise InputError(f"{rows:g} rows leave nothing over to measure the noise of {len(names)} weights by: give more")
    axes = decomposed(examples, intercept=intercept)
    best, best_b = axes.weights()
    inverse = _least_squares_inverse(axes.axes, axes.singular, axes.means, axes.total, intercept)
    at, start = (np.append(each, offset)[: len(names)] for each, offset in ((best, best_b), (w, b)))
    sum_of_squares, meat = 0.0, np.zeros_like(inverse)
    with one_thread():
        for block in _blocks(examples):
            z = _points(examples, block, intercept)
            residuals = examples.targets[block] - z @ at
            sum_of_squares += float(c[block] @ residuals**2)
            if what is Weights.SAMPLING:
                meat += z.T @ (z * (c[block] * residuals)[:, np.newaxis] ** 2)
    covariance = sum_of_squares / degrees * inverse
    if what is Weights.SAMPLING:
        covariance = inverse @ meat @ inverse
    errors = np.sqrt(covariance.diagonal())
    _check_near(start, at, errors)
    if what is Weights.SAMPLING:
        return Summary(names, at, errors, level, rows, "robust to sampling weights")
    return Summary(names, at, errors, level, rows, f"{degrees:g} degrees of freedom", degrees)


def _least_squares_inverse(axes: Flat, singular: Flat, means: Flat, total: float, intercept: bool) -> Flat:
    """H^-1 from the axes of the centred rows; the intercept comes last."""
    part = axes.T / singular
    inner = part @ part.T
    if not intercept:
        return np.asarray(inner)
    along = inner @ means
    corner = np.array([[1.0 / total + means @ along]])
    return np.block([[inner, -along[:, np.newaxis]], [-along[np.newaxis], corner]])


def _check(examples: Examples, intercept: bool, *, penalised: bool, outputs: int) -> None:
    size = examples.rows.shape[1] * outputs
    if size > COLUMNS_AT_MOST:
        raise InputError(
            f"standard errors need a table of {size} x {size} numbers: {COLUMNS_AT_MOST} columns (times classes but "
            "one) are the most"
        )
    examples.rows.check_finite()
    collinear = collinear_columns(examples, intercept=intercept) if not penalised else np.empty(0, np.int64)
    if len(collinear):
        names = ", ".join(_names(examples, intercept)[j] for j in collinear[:5])
        raise InputError(
            f"the columns are collinear, so their weights are not determined and have no standard errors: "
            f"drop {names}{', ...' if len(collinear) > 5 else ''}"
        )


def _check_near(start: Flat, end: Flat, errors: Flat) -> None:
    if float(np.abs((end - start) / errors).max()) > 1.0:
        raise InputError(
            "the weights are more than a standard error from the optimum on these rows: give summary the very rows and "
            "weights that the model was fitted to, or fit it with a smaller tol"
        )


def _inverse(table: Flat) -> Flat:
    """Of a positive definite table, brought to a unit diagonal."""
    from scipy.linalg.lapack import dpotrf, dpotri

    diagonal = table.diagonal()
    unit = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    factor, failed = dpotrf(np.asfortranarray(table * unit[:, np.newaxis] * unit))
    if failed or not (diagonal > 0).all() or not np.isfinite(factor).all():
        raise InputError("the information about the weights is singular: some are not determined by these rows")
    upper, _ = dpotri(factor)
    whole = np.triu(upper) + np.triu(upper, 1).T
    return np.asarray(whole * unit[:, np.newaxis] * unit)


def _points(examples: Examples, block: slice, intercept: bool) -> Flat:
    X = dense(examples, block)
    return np.column_stack([X, np.ones(len(X))]) if intercept else X


def _blocks(examples: Examples) -> list[slice]:
    return [slice(first, first + ROWS_AT_ONCE) for first in range(0, examples.rows.shape[0], ROWS_AT_ONCE)]


def _weights(examples: Examples) -> Flat:
    return np.ones(examples.rows.shape[0]) if examples.weights is None else examples.weights


def _rows(examples: Examples, what: Weights) -> float:
    """How many observations there are: frequencies count, other weights only if they are not 0."""
    weights = _weights(examples)
    return float(weights.sum() if what is Weights.FREQUENCIES else np.count_nonzero(weights))


def _names(examples: Examples, intercept: bool) -> tuple[str, ...]:
    names = examples.rows.names or tuple(f"x{j}" for j in range(examples.rows.shape[1]))
    return (*names, INTERCEPT) if intercept else tuple(names)
