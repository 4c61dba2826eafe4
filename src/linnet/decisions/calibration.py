"""Calibration: probabilities from scores, by a sigmoid or an isotonic function for each class.

Both are fitted to the scores of held-out rows.  The sigmoid p = 1 / (1 + exp(-(a f + b))) minimises the log loss
against smoothed targets,

    t = (N₊ + 1) / (N₊ + 2) for a row of the class,   1 / (N₋ + 2) for another

(Platt 1999, Probabilistic outputs for support vector machines; Lin, Lin, Weng 2007, A note on Platt's probabilistic
outputs for support vector machines).  The isotonic function is the non-decreasing one with the smallest squared error
(Ayer et al. 1955, An empirical distribution function for sampling with incomplete information), interpolated linearly.

Two classes have one score and one function.  With more, each class has its own against the rest, and the probabilities
of a row are divided by their sum (Zadrozny, Elkan 2002, Transforming classifier scores into accurate multiclass
probability estimates).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.decisions.calibration_method import Method as Method
from linnet.errors import InputError, option
from linnet.learners.linear import logistic

STEPS, HALVINGS = 100, 40
# Newton has converged when a step would lower the mean loss by at most half of this.
TOLERANCE = 1e-14

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sigmoid:
    """p = 1 / (1 + exp(-(slope f + offset)))."""

    slope: float
    offset: float

    def __call__(self, scores: Floats) -> Floats:
        with np.errstate(over="ignore"):  # on overflow the logistic is 0 or 1
            return logistic(self.slope * scores + self.offset)


@dataclass(frozen=True, eq=False)
class Isotonic:
    """The knots of a non-decreasing, piecewise linear function: scores in rising order, and their probabilities."""

    scores: Floats
    values: Floats

    def __call__(self, scores: Floats) -> Floats:
        probabilities: Floats = np.interp(scores, self.scores, self.values)
        return probabilities


Map = Sigmoid | Isotonic


@dataclass(frozen=True, eq=False)
class Calibration:
    """A function for each output of a model: one for two classes, else one a class."""

    method: Method
    maps: tuple[Map, ...]

    def probabilities(self, decision: Floats) -> Floats:
        """(rows, classes), given one score a row, or one a row and class."""
        if decision.ndim == 1:
            second = self.maps[0](decision)
            return np.column_stack([1.0 - second, second])
        each = np.column_stack([of_class(scores) for of_class, scores in zip(self.maps, decision.T, strict=True)])
        total = each.sum(axis=1, keepdims=True)
        each[total[:, 0] <= 0] = 1.0  # no class was seen at such scores: all are equally probable
        return each / np.where(total > 0, total, float(each.shape[1]))


def fit(method: Method, decision: Floats, truth: Floats, weights: Floats | None = None) -> Calibration:
    """Fit the functions to the scores and the class numbers of held-out rows."""
    positives = [truth == 1.0] if decision.ndim == 1 else [truth == code for code in range(decision.shape[1])]
    columns = [decision] if decision.ndim == 1 else list(decision.T)
    w = np.ones(len(truth)) if weights is None else weights
    for positive in positives:
        if not w[positive].any() or not w[~positive].any():
            raise InputError(
                f"the {int((w > 0).sum()):,} rows held out for calibration do not show every class: "
                f"pass more rows, or leave {option('calibrate')} out"
            )
    fitted: Callable[[Floats, NDArray[np.bool_], Floats], Map] = sigmoid if method is Method.SIGMOID else isotonic
    counted = w > 0
    pairs = zip(columns, positives, strict=True)
    return Calibration(method, tuple(fitted(scores[counted], hits[counted], w[counted]) for scores, hits in pairs))


# -- the sigmoid -----------------------------------------------------------------------------------------------------


def sigmoid(scores: Floats, positive: NDArray[np.bool_], w: Floats) -> Sigmoid:
    """Newton's method on the log loss of (a, b) with step halving; scores are centred and scaled first."""
    n_positive, n_negative = float(w[positive].sum()), float(w[~positive].sum())
    t = np.where(positive, (n_positive + 1.0) / (n_positive + 2.0), 1.0 / (n_negative + 2.0))
    centre = float((w * scores).sum() / w.sum())
    scale = float(np.abs(scores - centre).max()) or 1.0
    f = (scores - centre) / scale
    a, b = 0.0, float(np.log((n_positive + 1.0) / (n_negative + 1.0)))
    loss = _loss(a * f + b, t, w)
    for _ in range(STEPS):
        step_a, step_b, slope = _newton(f, a * f + b, t, w)
        if slope <= TOLERANCE * w.sum():
            break
        step = 1.0
        for _ in range(HALVINGS):
            trial = _loss((a + step * step_a) * f + b + step * step_b, t, w)
            if trial <= loss - 1e-4 * step * slope:
                break
            step /= 2.0
        else:
            break
        a, b, loss = a + step * step_a, b + step * step_b, trial
    return Sigmoid(a / scale, b - a * centre / scale)


def _newton(f: Floats, z: Floats, t: Floats, w: Floats) -> tuple[float, float, float]:
    """The Newton step in a and b, and the slope of the loss along it."""
    p = logistic(z)
    error = w * (t - p)
    curve = w * p * (1.0 - p)
    up_a, up_b = float((error * f).sum()), float(error.sum())
    tiny = 1e-12 * float(w.sum())
    aa, ab, bb = float((curve * f * f).sum()) + tiny, float((curve * f).sum()), float(curve.sum()) + tiny
    determinant = aa * bb - ab * ab
    step_a = (bb * up_a - ab * up_b) / determinant
    step_b = (aa * up_b - ab * up_a) / determinant
    return step_a, step_b, up_a * step_a + up_b * step_b


def _loss(z: Floats, t: Floats, w: Floats) -> float:
    """Σ w (log(1 + exp z) - t z), without overflow."""
    return float((w * (np.logaddexp(0.0, z) - t * z)).sum())


# -- the isotonic function -------------------------------------------------------------------------------------------


def isotonic(scores: Floats, positive: NDArray[np.bool_], w: Floats) -> Isotonic:
    """Pool adjacent violators; the two ends of each pool are the knots."""
    distinct, which = np.unique(scores, return_inverse=True)
    weights = np.bincount(which, w)
    means = np.bincount(which, w * positive) / weights
    pools: list[tuple[float, float, int]] = []  # mean, weight, number of distinct scores
    for mean, weight in zip(means.tolist(), weights.tolist(), strict=True):
        count = 1
        while pools and pools[-1][0] >= mean:
            before, its_weight, its_count = pools.pop()
            mean = (before * its_weight + mean * weight) / (its_weight + weight)
            weight, count = weight + its_weight, count + its_count
        pools.append((mean, weight, count))
    level = np.array([mean for mean, _, _ in pools])
    last = np.cumsum([count for _, _, count in pools]) - 1
    first = np.concatenate([[0], last[:-1] + 1])
    ends = np.unique(np.concatenate([first, last]))
    return Isotonic(distinct[ends], np.clip(level[np.searchsorted(last, ends)], 0.0, 1.0))
